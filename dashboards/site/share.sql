-- Title: Market share
-- Question: How much of the first places in our searches does this site hold, and how much do we?
-- Chart: line
-- X: week
-- Y: share
-- Series: who
-- Unit: %
-- Empty: No week is published.
-- Computed: As market share on the board Rankings: results of the site within the first places, each counted with the search volume of its search, divided
--   by the number of these places times the volume of all tracked searches. We are all own sites together.
-- Datasets: keyword_rankings
-- Variables: account, site, web_property, engine, country, device, weeks, top_n, weighted, rank
-- Order: 10
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text,
                                      :top_n::integer, :weighted::boolean)
), measure AS (
  SELECT min(week) AS first, max(week) AS last, max(places) AS places, bool_or(is_by_volume) AS by_volume,
         search_reports.is_own_site(:account::bigint, :site::text) AS is_own
    FROM frame
), shares AS (
  SELECT r.week, w.who, w.is_ours, sum(r.results) AS results
    FROM measure m CROSS JOIN LATERAL (VALUES (:site::text, m.is_own, ARRAY[:site::text]), ('our sites', true, NULL)) AS w (who, is_ours, sites)
   CROSS JOIN LATERAL search_reports.ranking_results(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                     m.places, m.by_volume, m.first, m.last, w.sites) AS r
   GROUP BY 1, 2, 3
)
SELECT f.week, w.who, w.is_ours, CASE WHEN g.gap IS NULL THEN round(100.0 * coalesce(s.results, 0) / (f.places * f.weight), 2) END AS share,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change), '')) AS reason, CASE WHEN g.gap IS NULL THEN l.question END AS question, f.notice
  FROM frame f CROSS JOIN measure m CROSS JOIN search_reports.own_sites(:account::bigint, NULL) AS o
 CROSS JOIN LATERAL (VALUES (:site::text, m.is_own, :site::text, NULL), ('our sites', true, array_to_string(o.ours, ','),
                                                                         o.gap)) AS w (who, is_ours, sites, gap)
  LEFT JOIN shares s ON s.week = f.week AND s.who = w.who
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', w.sites), s.results > 0) AS l
 CROSS JOIN LATERAL (SELECT coalesce(f.gap, w.gap, l.unasked, CASE WHEN w.who NOT IN (SELECT who FROM shares)
                                     THEN 'no result of it within these places in any week shown; sites count by their root domain' END) AS gap) AS g
 ORDER BY w.who = 'our sites', f.week
