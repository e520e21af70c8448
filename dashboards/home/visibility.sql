-- Title: Visibility
-- Question: How much of the first places in our searches do we hold?
-- Chart: tiles
-- X: week
-- Y: figure
-- Unit: %
-- From: rankings/visibility
-- Computed: The market share of the own sites together in all search engines, as on the board Rankings. It has no interval, since summaries keep
--   no spread of it; a change is within noise if it is at most three times the usual move from week to week (the median of the moves before).
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, compare, top_n, weighted, rank, own
-- Order: 10
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text,
                                      :top_n::integer, :weighted::boolean)
), found AS (
  SELECT r.week, sum(r.results) AS results, bool_or(r.is_mixed) AS is_mixed
    FROM (SELECT min(week) AS first, max(week) AS last, max(places) AS places, bool_or(is_by_volume) AS by_volume FROM frame) AS n
   CROSS JOIN LATERAL search_reports.own_results(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                 n.places, n.by_volume, n.first, n.last, :own::text[]) AS r
   GROUP BY r.week
), points AS (
  SELECT f.week, 100.0 * coalesce(r.results, 0) / (f.places * nullif(f.weight, 0)) AS figure, f.note, l.change, l.question,
         coalesce(f.gap, CASE WHEN r.is_mixed THEN 'another own site has the same root domain' WHEN o.ours = '{}' THEN 'no site is known to be ours' END,
                  l.unasked) AS gap
    FROM frame f LEFT JOIN found r ON r.week = f.week CROSS JOIN search_reports.own_sites(:account::bigint, :own::text[]) AS o
   CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', array_to_string(o.ours, ',')), r.results > 0) AS l
)
SELECT t.*, f.notice
  FROM search_reports.tile((SELECT jsonb_agg(p) FROM points AS p), 2, :compare::text) AS t
  JOIN frame f ON f.week IS NOT DISTINCT FROM t.week ORDER BY t.week
