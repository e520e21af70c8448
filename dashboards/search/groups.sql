-- Title: Groups of this keyword
-- Question: To which keyword groups does it belong, and how do they perform?
-- Chart: table
-- Empty: This keyword belongs to no group in the newest week.
-- Computed: Groups of the searches for the keyword in the newest week, with all searches that are tracked in them, and the share of these
--   with an own
--   result within the first three places.
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, rank, weeks
-- Order: 60
WITH pair AS (
  SELECT * FROM search_reports.measure_pair('first_three', :account::bigint, :weeks::text, 'none')
), own AS (
  SELECT DISTINCT unnest(s.keyword_groups) AS keyword_group
    FROM pair p CROSS JOIN LATERAL search_reports.search_lines(:choices, ARRAY[p.week]) AS s
), groups AS (
  SELECT l.line AS keyword_group, l.units AS searches, l.part AS searches_in_first_3, round(l.level, 1) AS percent, round(l.low, 1) AS low,
         round(l.high, 1) AS high, l.reason
    FROM pair p
   CROSS JOIN LATERAL search_reports.levels('first_three', 'keyword_group', search_reports.of_all_keywords(:choices),
         p.week || '..' || p.week) AS l
   WHERE l.line IN (SELECT keyword_group FROM own)
)
SELECT g.keyword_group, g.searches, g.searches_in_first_3, g.percent, g.low, g.high, coalesce(p.reason, g.reason) AS reason, p.notice
  FROM pair p LEFT JOIN groups g ON true
 ORDER BY g.searches, g.keyword_group
