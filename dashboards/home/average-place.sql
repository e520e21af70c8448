-- Title: Average best place
-- Question: What is our average place in the searches that find us?
-- Chart: tiles
-- X: week
-- Y: figure
-- Unit: place
-- From: rankings/average-place
-- Computed: Sum of the best own places, divided by the searches that have one (searches_found). If the number of such searches changes by a tenth or more, the mean
--   covers other searches, and is not compared. It has no interval, since summaries keep no spread of it; a change is
--   within noise if it is at most three times the usual move from week to week (the median of the moves before).
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, compare, rank
-- Order: 30
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, NULL, false,
                                      :keyword_group::text[])
), places AS (
  SELECT week, sum(place_sum) AS place_sum, sum(searches - searches_at[6]) AS found
    FROM search_reports.ranking_places(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                       (SELECT min(week) FROM frame), :keyword_group::text[]) GROUP BY week
), runs AS (
  SELECT u.week, u.found, lag(u.found) OVER (ORDER BY u.week) AS found_before
    FROM (SELECT array_agg(week ORDER BY week) AS weeks, search_reports.anchored(array_agg(found ORDER BY week)) AS found FROM places WHERE found > 0) AS a
   CROSS JOIN LATERAL unnest(a.weeks, a.found) AS u (week, found)
), points AS (
  SELECT f.week, p.place_sum / nullif(p.found, 0) AS figure, f.note, l.question || coalesce(', ' || r.found || ' found', '') AS question,
         nullif(concat_ws('; ', l.change, CASE WHEN r.found <> r.found_before
                          THEN format('not comparable with the weeks before: %s searches find us, before %s', r.found, r.found_before) END), '') AS change,
                            coalesce(f.gap, l.unasked, CASE WHEN p.found = 0 THEN 'not found' END) AS gap
    FROM frame f LEFT JOIN places p ON p.week = f.week LEFT JOIN runs r ON r.week = f.week CROSS JOIN search_reports.own_sites(:account::bigint, NULL) AS o
   CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', array_to_string(o.ours, ',')), p.found > 0) AS l
)
SELECT t.*, p.found AS searches_found, f.notice
  FROM search_reports.tile((SELECT jsonb_agg(p) FROM points AS p), 2, :compare::text) AS t
  JOIN frame f ON f.week IS NOT DISTINCT FROM t.week LEFT JOIN places p ON p.week = t.week
 ORDER BY t.week
