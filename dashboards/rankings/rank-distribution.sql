-- Title: Places of our best results
-- Question: How many searches find us, and at which place?
-- Chart: stacked
-- X: week
-- Y: share
-- Series: place
-- Unit: %
-- Scale: ordered
-- Note: A search that finds us only with a result that has no place in the list, such as an AI overview, is without a place. A search that does not
--   find us is absent; if a job loads results to some place only (its filter max_rank), the search is not in the first places.
-- Computed: Tracked searches by the best place of an own result, divided by all tracked searches: each with its search volume
--   (average_search_volume, else approximate_search_volume), or unweighted. The table has the number of searches in both cases.
--   low and high are the 95 % interval of the share, as if the keywords were a sample of everything that people search for, with the same results in all markets.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, weighted, rank
-- Order: 20
WITH frame AS (
  SELECT *, (SELECT max(n) FROM unnest(ARRAY[1, 3, 10, 20]) AS n WHERE n <= depth) AS known
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, NULL,
                                      :weighted::boolean, :keyword_group::text[])
), unplaced AS (
  SELECT week, sum(searches) AS searches, sum(volume) AS volume
    FROM search_reports.without_place(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                      (SELECT min(week) FROM frame), :keyword_group::text[]) GROUP BY week
), places AS (
  SELECT *
    FROM (VALUES (1, '1', 1, 1, 1), (2, '2–3', 2, 2, 3), (3, '4–10', 3, 3, 10), (4, '11–20', 4, 4, 20), (5, 'beyond 20', 5, 5, NULL),
          (5.5, 'without a place', 7, 7, NULL), (6, 'absent', 6, 6, NULL),
          (7, 'not in the first 20', 5, 7, 20), (8, 'not in the first 10', 4, 7, 10), (9, 'not in the first 3', 3, 7, 3),
          (10, 'not first', 2, 7, 1)) AS p (number, place, first, last, depth)
   WHERE (number < 7 OR depth IN (SELECT known FROM frame WHERE gap IS NULL)) AND (first < 7 OR EXISTS (SELECT FROM unplaced))
), known_places AS (
  SELECT week, searches_at || 0 AS searches_at, volume_at || 0.0 AS volume_at
    FROM search_reports.ranking_places(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                       (SELECT min(week) FROM frame), :keyword_group::text[])
  UNION ALL
  SELECT week, ARRAY[0, 0, 0, 0, 0, -searches, searches], ARRAY[0, 0, 0, 0, 0, -volume, volume] FROM unplaced
), counted AS (
  SELECT c.week, p.number, sum(c.searches_at[n]) AS searches, sum(c.volume_at[n]) AS volume
    FROM known_places c CROSS JOIN places p CROSS JOIN LATERAL generate_series(p.first, p.last) AS n
   GROUP BY c.week, p.number
), keywords AS (
  SELECT week, CASE WHEN is_by_volume THEN k.volume ELSE k.searches END AS size, CASE WHEN is_by_volume THEN volume_squared ELSE searches_squared END AS squared
    FROM frame JOIN search_reports.found_by_keyword(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                    NULL, (SELECT min(week) FROM frame), :keyword_group::text[]) AS k USING (week)
)
SELECT f.week, p.place, CASE WHEN g.gap IS NULL THEN round(100.0 * CASE WHEN f.is_by_volume THEN c.volume ELSE c.searches END / f.weight, 2) END AS share,
       CASE WHEN g.gap IS NULL THEN round(b.bounds[1], 1) END AS low, CASE WHEN g.gap IS NULL THEN round(b.bounds[2], 1) END AS high,
       CASE WHEN g.gap IS NULL THEN c.searches END AS searches,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change), '')) AS reason, CASE WHEN g.gap IS NULL THEN l.question END AS question, f.notice
  FROM frame f CROSS JOIN search_reports.own_sites(:account::bigint, NULL) AS o LEFT JOIN places p ON f.week IS NOT NULL
  LEFT JOIN counted c ON c.week = f.week AND c.number = p.number LEFT JOIN keywords k ON k.week = f.week
 CROSS JOIN LATERAL (SELECT CASE WHEN f.is_by_volume THEN c.volume ELSE c.searches END::float8 AS n, k.squared / nullif(k.size, 0) AS each) AS w
 CROSS JOIN LATERAL search_reports.rate_interval(w.n, k.size, k.squared, w.n * w.each, w.n * w.each) AS b (bounds)
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', array_to_string(o.ours, ',')), p.last < 6 AND c.searches > 0) AS l
 CROSS JOIN LATERAL (
       SELECT coalesce(f.gap, o.gap, f.unknown, l.unasked,
                       CASE WHEN p.number > 6 AND f.known IS NULL THEN 'tracked deeper, by single places'
                            WHEN f.depth < coalesce(p.depth, f.depth + 1) OR p.number > 6
                            AND p.depth < f.known THEN format('tracked to place %s (max_rank)', f.depth) END) AS gap) AS g
 ORDER BY p.number, f.week
