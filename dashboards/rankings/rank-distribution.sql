-- Title: Places of our best results
-- Question: How many searches find us, and at which place?
-- Chart: stacked
-- X: week
-- Y: share
-- Series: place
-- Unit: %
-- Scale: ordered
-- Note: A search that finds us only with a result that has no place in the list, such as an AI overview, is without a place. A search that
--   does not
--   find us is absent; if its results were loaded to some place only (max_rank), it is not within these.
-- Computed: Tracked searches by the best place of an own result, divided by all tracked searches: each with its search volume
--   (average_search_volume, else approximate_search_volume), or unweighted. The table has the number of searches in both cases.
--   low and high are the 95 % interval of the share, as if the keywords were a sample of everything that people search for.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, weighted, rank
-- Order: 20
WITH classes AS (
  SELECT l.*, c.number, c.first > min(substring(l.line FROM '^not within (\d+)')::integer) FILTER (WHERE l.part > 0)
                                    OVER (PARTITION BY l.week) AS is_deeper
    FROM search_reports.levels('tracked', 'place_class', :choices, :weeks::text, true) AS l
    LEFT JOIN (VALUES (1, '1', 1), (2, '2-3', 2), (3, '4-10', 4), (4, '11-20', 11), (5, 'beyond 20', 21),
                      (6, 'without a place', NULL), (7, 'absent', 2147483647)) AS c (number, line, first) ON c.line = l.line
)
-- A place that is deeper than all results of the week has no search, and nobody knows how many it would have.
SELECT week, line AS place, round(level, 2) AS share, round(low, 1) AS low, round(high, 1) AS high, coalesce(units, 0) AS searches,
       round(like_for_like, 2) AS like_for_like, reason, question
  FROM classes
 WHERE part > 0 OR is_deeper IS NOT TRUE
 ORDER BY number NULLS LAST, line, week
