-- Title: Result types and features
-- Question: What do these result pages have besides links, and is any of it ours?
-- Chart: table
-- Changes: change
-- Empty: This keyword has no results in the newest week.
-- Computed: Rows of keyword_rankings by result type: how many, the first of their places on the whole page (true rank), how many are ours,
--   and how many more than in the week compared with,
--   where both weeks can be compared, of searches that have results in both.
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, weeks, compare
-- Order: 40
WITH pair AS (
  SELECT p.*, (SELECT bool_and(s.shows_us) FROM search_reports.searches(:choices, ARRAY[p.week]) AS s) AS shows_us
    FROM search_reports.measure_pair('first_places', :account::bigint, :weeks::text, :compare::text) AS p
), found AS (
  SELECT w.week = p.week AS is_newer, r.search_key, coalesce(r.result_type, '(unknown)') AS result_type, r.rank_true AS place, r.is_own
    FROM pair p CROSS JOIN LATERAL unnest(ARRAY[p.week, p.before]) AS w (week)
   CROSS JOIN LATERAL search_reports.results_of(:choices, w.week) AS r
), compared AS (
  SELECT search_key FROM found GROUP BY search_key HAVING count(DISTINCT is_newer) = 2
), types AS (
  SELECT result_type, count(*) FILTER (WHERE is_newer) AS results, min(place) FILTER (WHERE is_newer) AS first_place,
         count(*) FILTER (WHERE is_newer AND is_own) AS ours,
         CASE WHEN EXISTS (SELECT FROM compared)
              THEN count(c.search_key) FILTER (WHERE is_newer) - count(c.search_key) FILTER (WHERE NOT is_newer) END AS change
    FROM found LEFT JOIN compared c USING (search_key) GROUP BY result_type
)
SELECT t.result_type, t.results, t.first_place, CASE WHEN p.shows_us OR t.ours > 0 THEN t.ours END AS ours, t.change,
       coalesce(p.reason, search_reports.as_sentence(search_reports.lacks_us(p.shows_us))) AS reason,
       concat_ws(' ', p.refusal, p.notice) AS notice
  FROM pair p LEFT JOIN types t ON true
 ORDER BY t.results DESC, t.result_type
