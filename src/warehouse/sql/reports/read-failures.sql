-- Subjects of accounts with weeks that readers leave out, since their refresh fails. Result: subject, account as text, weeks, firstWeek, lastWeek, failedAt, error.
-- Not null: accountId, weeks, firstWeek, lastWeek, failedAt, error.
SELECT subject, account_id::text AS "accountId", count(DISTINCT week) AS weeks, min(week) AS "firstWeek", max(week) AS "lastWeek",
       max(failed_at) AS "failedAt", (array_agg(error ORDER BY failed_at DESC))[1] AS error
  FROM searchmill.stale_weeks
 WHERE failures > 0 AND NOT is_live
 GROUP BY subject, account_id
 ORDER BY subject, account_id
