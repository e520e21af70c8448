-- Title: Searches in the first three
-- Question: In how many searches are we among the first three?
-- Chart: tiles
-- X: week
-- Y: figure
-- Unit: %
-- From: rankings/rank-distribution?weighted=false
-- Computed: Tracked searches with an own result within the first three places, divided by all tracked searches, without weights, whatever
--   weight is chosen. The interval takes the keywords as a sample of everything that people search for: results for a keyword are similar on all its devices and in all its engines and
--   countries.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, compare, rank
-- Order: 20
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, 3, false,
                                      :keyword_group::text[])
), found AS (
  SELECT *
    FROM search_reports.found_by_keyword(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text, 3,
                                         (SELECT min(week) FROM frame), :keyword_group::text[])
), points AS (
  SELECT f.week, 100.0 * r.found / f.searches AS figure, f.note, l.change, l.question,
         search_reports.rate_interval(r.found::float8, r.searches::float8, r.searches_squared::float8, r.searches_by_found::float8,
                                      r.found_squared::float8) AS bounds,
         coalesce(f.gap, CASE WHEN f.depth < 3 THEN format('tracked to place %s only (max_rank)', f.depth)
                              WHEN o.ours = '{}' THEN 'no site is known to be ours' END, l.unasked) AS gap
    FROM frame f LEFT JOIN found r ON r.week = f.week CROSS JOIN search_reports.own_sites(:account::bigint, NULL) AS o
   CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', array_to_string(o.ours, ',')), r.found > 0) AS l
)
SELECT t.*, r.found AS searches_found, f.searches, f.notice
  FROM search_reports.tile((SELECT jsonb_agg(p) FROM points AS p), 1, :compare::text) AS t
  JOIN frame f ON f.week IS NOT DISTINCT FROM t.week LEFT JOIN found r ON r.week = t.week
 ORDER BY t.week
