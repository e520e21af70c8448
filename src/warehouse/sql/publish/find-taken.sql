-- Rows of other jobs' slices among the differences: they are rewritten, reassigned or deleted.
-- Result: slice, account and digest as text, period, rows.
-- Not null: period, digest, slice, account, rows.
SELECT old_slice::text AS slice, account_id::text AS account, time_period_start AS period, count(*) AS rows, sum(old_digest)::text AS digest
  FROM searchmill_changes
 WHERE old_slice IS NOT NULL
 GROUP BY 1, 2, 3
