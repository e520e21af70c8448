-- Weeks with answers, the newest first.
SELECT week::text AS value, week::text AS label
  FROM search_reports.weeks
 WHERE dataset = 'ai_search_response' AND account_id = :account::bigint AND is_published
 ORDER BY week DESC
