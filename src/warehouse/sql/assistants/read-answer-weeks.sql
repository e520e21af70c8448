-- The weeks of answers of an account, the newest first. Params: :accountId. Result: week, isPublished, and the reason where not all is there.
-- Locks: none.
-- Not null: week, isPublished.
SELECT week::text, is_published AS "isPublished", reason
  FROM search_reports.weeks WHERE dataset = 'ai_search_response' AND account_id = :accountId::bigint ORDER BY week DESC
