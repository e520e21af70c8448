-- Title: Average best place
-- Question: Where do we stand, where we are found?
-- Chart: tiles
-- X: week
-- Y: figure
-- Unit: place
-- From: rankings/average-place
-- Computed: Sum of the best own places, divided by the searches that have one. It has no interval, since summaries keep no spread of it; within
--   noise is what is at most three times its usual move from week to week (the median of those before).
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, compare, rank
-- Order: 30
WITH frame AS (
  SELECT * FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, NULL, false)
), places AS (
  SELECT week, sum(place_sum) AS place_sum, sum(searches - searches_at[6]) AS found FROM search_reports.ranking_places(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text, (SELECT min(week) FROM frame)) GROUP BY week
), points AS (
  SELECT f.week, p.place_sum / nullif(p.found, 0) AS figure, f.note, l.change, l.question, coalesce(f.gap, l.unasked, CASE WHEN p.found = 0 THEN 'not found' END) AS gap
    FROM frame f LEFT JOIN places p ON p.week = f.week CROSS JOIN search_reports.own_sites(:account::bigint, NULL) AS o
   CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', array_to_string(o.ours, ',')), p.found > 0) AS l
)
SELECT t.*, f.notice FROM search_reports.tile((SELECT jsonb_agg(p) FROM points AS p), 2, :compare::text) AS t JOIN frame f ON f.week = t.week ORDER BY t.week
