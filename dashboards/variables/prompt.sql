-- Prompts of the newest week with answers.
WITH newest AS (
  SELECT max(week) AS week FROM search_reports.weeks
   WHERE dataset = 'ai_search_response' AND account_id = :account::bigint AND is_published)
SELECT DISTINCT r.prompt AS value, r.prompt AS label
  FROM search.ai_search_response r
 WHERE r.account_id = :account::bigint AND r.prompt <> ''
   AND r.time_period_start BETWEEN (SELECT week FROM newest) AND (SELECT week + 6 FROM newest)
 ORDER BY 1
 LIMIT 1000
