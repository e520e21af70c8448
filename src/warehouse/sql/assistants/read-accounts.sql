-- All accounts. Result: account as text, isConfigured. Locks: none.
-- Not null: account, isConfigured.
SELECT account_id::text AS account, is_configured AS "isConfigured" FROM search_reports.accounts ORDER BY account_id LIMIT 200
