-- Accounts of the configured jobs, then of removed ones.
SELECT account_id AS value, account_id::text AS label
  FROM search_reports.accounts
 ORDER BY is_configured DESC, account_id
