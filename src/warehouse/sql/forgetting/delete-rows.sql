-- Deletes the rows of a slice. Params: :sliceId. Result: accountId as text, week (its Sunday), rows. Repeating finds none.
-- Not null: accountId, week, rows.
WITH gone AS (
  DELETE FROM {table} t
   USING searchmill.published_periods p
   WHERE p.slice_id = :sliceId AND t.account_id = p.account_id AND t.time_period_start = p.period_start AND t._slice = p.slice_id
  RETURNING t.account_id, t.time_period_start
)
SELECT account_id::text AS "accountId", search_reports.week_of(time_period_start)::text AS week, count(*) AS rows FROM gone GROUP BY 1, 2
