-- Title: Our visibility by search engine
-- Question: How much of the first places do we hold in each search engine?
-- Chart: line
-- X: week
-- Y: share
-- Series: engine
-- Unit: %
-- Computed: The market share of the own sites together, separately for each search engine, weighted by search volume (average_search_volume,
--   else approximate_search_volume) or unweighted. A single one of several own sites below one root domain is a gap: results are
--   summarised by root domain.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, top_n, weighted, rank, own
-- Order: 35
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text,
                                      :top_n::integer, :weighted::boolean)
), engines AS (
  SELECT week, engine, sum(searches) AS searches, sum(searches_with_volume) AS known, sum(volume) AS volume, sum(digest) AS digest,
         sum(sum(searches_with_volume)) OVER (PARTITION BY week) AS known_of_all, sum(volume) / nullif(sum(searches_with_volume), 0) AS average
    FROM search_reports.ranking_places(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                       (SELECT min(week) FROM frame)) GROUP BY week, engine
), runs AS (
  SELECT r.*
    FROM (SELECT array_agg(engine) AS engines, array_agg(week) AS weeks, array_agg(CASE WHEN f.is_by_volume THEN e.known ELSE e.searches END) AS searches,
                 array_agg(CASE WHEN f.is_by_volume THEN e.known_of_all ELSE f.searches END) AS wholes, array_agg(e.digest) AS digests
            FROM engines e JOIN frame f USING (week) WHERE f.gap IS NULL) AS a
   CROSS JOIN LATERAL search_reports.line_runs(a.engines, a.weeks, a.searches, a.wholes, 'searches of it', a.digests) AS r
), volumes AS (
  SELECT r.*
    FROM (SELECT array_agg(engine) AS engines, array_agg(week) AS weeks, array_agg(round(e.average, 1)) AS averages,
                 array_agg(round(f.weight / nullif(e.known_of_all, 0), 1)) AS wholes
            FROM engines e JOIN frame f USING (week) WHERE f.gap IS NULL AND f.is_by_volume AND e.volume > 0) AS a
   CROSS JOIN LATERAL search_reports.volume_runs(a.engines, a.weeks, a.averages, a.wholes) AS r
), found AS (
  SELECT r.*
    FROM (SELECT min(week) AS first, max(week) AS last, max(places) AS places, bool_or(is_by_volume) AS by_volume FROM frame) AS n
   CROSS JOIN LATERAL search_reports.own_results(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                 n.places, n.by_volume, n.first, n.last, :own::text[]) AS r
)
SELECT f.week, CASE WHEN k.is_tracked THEN coalesce(k.engine, '(none)') END AS engine,
       CASE WHEN g.gap IS NULL THEN round(100.0 * coalesce(r.results, 0) / (f.places * CASE WHEN f.is_by_volume THEN e.volume ELSE e.searches END),
                                          2) END AS share, e.searches,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change, u.change, v.change,
                                         CASE WHEN f.is_by_volume AND e.searches < f.searches AND e.known < 0.9 * e.searches
                                              THEN format('search volumes are known of %s of %s searches of it', e.known, e.searches) END), '')) AS reason,
       CASE WHEN g.gap IS NULL THEN concat_ws(', ', l.question, u.question, v.question) END AS question, f.notice
  FROM frame f CROSS JOIN search_reports.own_sites(:account::bigint, :own::text[]) AS o
  LEFT JOIN (SELECT DISTINCT engine, true AS is_tracked FROM engines) AS k ON true
  LEFT JOIN engines e ON e.week = f.week AND e.engine IS NOT DISTINCT FROM k.engine
  LEFT JOIN runs u ON u.week = f.week AND u.line IS NOT DISTINCT FROM k.engine
  LEFT JOIN volumes v ON v.week = f.week AND v.line IS NOT DISTINCT FROM k.engine
  LEFT JOIN found r ON r.week = f.week AND r.engine IS NOT DISTINCT FROM k.engine
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', array_to_string(o.ours, ',')), r.results > 0) AS l
 CROSS JOIN LATERAL (
       SELECT coalesce(f.gap, o.gap, CASE WHEN e.searches IS NULL THEN 'no searches' WHEN f.is_by_volume AND e.volume = 0 THEN 'no search volumes'
                                   WHEN r.is_mixed THEN 'another own site has the same root domain' END, l.unasked) AS gap) AS g
 ORDER BY k.engine, f.week
