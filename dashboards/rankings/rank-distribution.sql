-- Title: Places of our best results
-- Question: For how many searches are we found, and where?
-- Chart: stacked
-- X: week
-- Y: share
-- Series: place
-- Unit: %
-- Scale: ordered
-- Note: A search that finds us only by a result without such a rank, as in an AI overview, is without a place. One for which we are not found counts as absent, where it is tracked to the end; where it is not (max_rank), as not in the first places.
-- Computed: Tracked searches by the best place of an own result, divided by all tracked searches: each with its search volume
--   (average_search_volume, else approximate_search_volume), or each alike. The table has how many searches they are either way.
--   low and high are the 95 % interval of the share, as if the keywords were a sample of all that people look for.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, weighted, rank
-- Order: 20
WITH frame AS (
  SELECT *, (SELECT max(n) FROM unnest(ARRAY[1, 3, 10, 20]) AS n WHERE n <= depth) AS known
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, NULL,
                                      :weighted::boolean)
), classes AS (
  SELECT *
    FROM (VALUES (1, '1', 1, 1, 1), (2, '2–3', 2, 2, 3), (3, '4–10', 3, 3, 10), (4, '11–20', 4, 4, 20), (5, 'beyond 20', 5, 5, NULL),
          (5.5, 'without a place', 7, 7, NULL), (6, 'absent', 6, 6, NULL),
          (7, 'not in the first 20', 5, 7, 20), (8, 'not in the first 10', 4, 7, 10), (9, 'not in the first 3', 3, 7, 3),
          (10, 'not first', 2, 7, 1))
      AS p (number, place, first, last, depth)
   WHERE number < 7 OR depth IN (SELECT known FROM frame WHERE gap IS NULL)
), counted AS (
  SELECT c.*
    FROM (SELECT array_agg(week) AS weeks, array_agg(known) AS depths, bool_or(is_by_volume) AS by_volume FROM frame WHERE gap IS NULL) AS n
   CROSS JOIN LATERAL search_reports.places_by_keyword(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                       n.by_volume, n.weeks, n.depths) AS c
), places AS (
  SELECT * FROM classes WHERE first < 7 OR EXISTS (SELECT FROM counted WHERE first = 7 AND searches > 0)
), own AS (
  SELECT * FROM search_reports.own_sites(:account::bigint, NULL)
)
SELECT f.week, p.place, CASE WHEN g.gap IS NULL THEN round(100.0 * c.weight / f.weight, 2) END AS share,
       CASE WHEN g.gap IS NULL THEN round(c.bounds[1], 1) END AS low, CASE WHEN g.gap IS NULL THEN round(c.bounds[2], 1) END AS high,
       CASE WHEN g.gap IS NULL THEN c.searches END AS searches,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change), '')) AS reason, CASE WHEN g.gap IS NULL THEN l.question END AS question, f.notice
  FROM frame f CROSS JOIN own o LEFT JOIN places p ON f.week IS NOT NULL
  LEFT JOIN counted c ON c.week = f.week AND c.first = p.first AND c.last = p.last
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', array_to_string(o.ours, ',')), p.last < 6 AND c.searches > 0) AS l
 CROSS JOIN LATERAL (
       SELECT coalesce(f.gap, o.gap, f.unknown, l.unasked,
                       CASE WHEN p.number > 6 AND f.known IS NULL THEN 'tracked deeper, by single places'
                            WHEN f.depth < coalesce(p.depth, f.depth + 1) OR p.number > 6
                            AND p.depth < f.known THEN format('tracked to place %s (max_rank)', f.depth) END) AS gap) AS g
 ORDER BY p.number, f.week
