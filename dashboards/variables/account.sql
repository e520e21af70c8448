-- Accounts of the configured jobs, then of removed ones, by their names where rows tell them.
SELECT account_id AS value, coalesce(search_reports.account_name(account_id) || format(' (%s)', account_id), account_id::text) AS label
  FROM search_reports.accounts
 ORDER BY is_configured DESC, account_id
