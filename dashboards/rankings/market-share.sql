-- Title: Market share by site
-- Question: Which sites share the first places of our searches?
-- Chart: line
-- Links: site
-- X: week
-- Y: share
-- Series: site
-- Unit: %
-- Note: The ten sites with the largest share in the newest week, at most five of our own, and the chosen competitors. Own sites have thick lines.
-- Computed: Results of a site within the first places, each counted with the search volume of its search, divided by the number of these
--   places times the volume of all tracked searches. The volume is average_search_volume, else approximate_search_volume. Without weights
--   every search counts 1.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, top_n, weighted, rank, own, competitor
-- Order: 10
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text,
                                      :top_n::integer, :weighted::boolean)
), sites AS (
  SELECT s.*
    FROM (SELECT array_agg(week) AS weeks, max(week) FILTER (WHERE searches > 0) AS newest, max(places) AS places, bool_or(is_by_volume) AS by_volume
            FROM frame) AS n
   CROSS JOIN LATERAL search_reports.leading_sites(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                   n.places, n.by_volume, n.weeks, n.newest, 10, :competitor::text[]) AS s
), own AS (
  SELECT * FROM search_reports.own_sites(:account::bigint, :own::text[])
)
SELECT f.week, CASE WHEN s.number IS NOT NULL THEN coalesce(s.site, '(no page)') END AS site,
       s.is_own AND (:own::text[] IS NULL OR search_reports.is_related(s.site, o.ours)) AS is_ours,
       CASE WHEN g.gap IS NULL THEN round(100.0 * s.results / (f.places * f.weight), 2) END AS share, f.searches,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change), '')) AS reason, CASE WHEN g.gap IS NULL THEN l.question END AS question, f.notice
  FROM frame f CROSS JOIN own o LEFT JOIN sites s ON s.week = f.week
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', coalesce(s.site, '')), s.results > 0) AS l
 CROSS JOIN LATERAL (
       SELECT coalesce(f.gap, l.unasked, CASE WHEN s.number IS NULL THEN format('no result of the newest week is within place %s', f.places) END) AS gap) AS g
 ORDER BY 3 DESC, s.number, f.week
