-- Title: More or fewer searches find us
-- Question: Has the share of our searches that find us in the first 10 places moved by more than chance?
-- More: more such shares have moved
-- From: rankings/rank-distribution?weighted=false
-- Computed: Tracked searches with an own result in the first 10 places by standard rank, of all tracked searches, each alike; with the 95 % interval by
--   keyword, as on Home. It is reported if it differs from the week before by more than both intervals explain, and by
--   least_points percentage points or more. A week with other searches is not compared.
-- Datasets: keyword_rankings
-- Thresholds: least_points
-- Order: 30
WITH pair AS (
  SELECT p.week, p.before, coalesce(p.silence, search_reports.unknown_searches(p.asked), f.gap, b.gap, f.asked ->> 'change',
                                    CASE WHEN f.depth < 10 THEN format('tracked to place %s only (max_rank)', f.depth) END) AS silence
    FROM search_reports.own_places_pair(:account::bigint, :week::date) AS p
    LEFT JOIN search_reports.ranking_frame(:account::bigint, NULL, NULL, NULL, NULL, format('%s..%s', :week::date - 14, :week::date), NULL,
                                           false) AS f ON f.week = p.week
    LEFT JOIN search_reports.ranking_frame(:account::bigint, NULL, NULL, NULL, NULL, format('%s..%s', :week::date - 14, :week::date), NULL,
                                           false) AS b ON b.week = p.before
), counted AS (
  SELECT c.*
    FROM pair p CROSS JOIN LATERAL search_reports.found_by_keyword(:account::bigint, NULL, NULL, NULL, NULL, 'standard', 10, p.before) AS c
   WHERE p.silence IS NULL AND c.week IN (p.week, p.before)
), rates AS (
  SELECT week, 100.0 * found / searches AS percent,
         search_reports.rate_interval(found::float8, searches::float8, searches_squared::float8, searches_by_found::float8,
                                      found_squared::float8) AS bounds FROM counted
), moved AS (
  SELECT n.percent, b.percent AS before, search_reports.change_reading(n.percent, n.bounds, b.percent, b.bounds) AS reading
    FROM pair p JOIN rates n ON n.week = p.week JOIN rates b ON b.week = p.before
   WHERE abs(n.percent - b.percent) >= :least_points::numeric
)
SELECT CASE WHEN m.reading IS NOT NULL THEN 'first 10 places' END AS subject,
       format('%s searches find us in the first 10 places: %s %% of them, after %s %%', CASE m.reading WHEN 'more' THEN 'More' ELSE 'Fewer' END,
              round(m.percent, 1), round(m.before, 1)) AS text,
       abs(m.percent - m.before) AS weight, '{}'::jsonb AS about, p.silence
  FROM pair p LEFT JOIN moved m ON m.reading IN ('more', 'less')
