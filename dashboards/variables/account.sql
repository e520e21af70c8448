-- Accounts of the configured jobs, then of removed ones.
SELECT account_id AS value, account_id::text AS label
  FROM searchmill.jobs
 GROUP BY account_id
 ORDER BY bool_or(removed_at IS NULL) DESC, account_id
