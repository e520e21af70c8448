-- Deletes those rows of expired slices that lie in the months before and after, so that nobody sees a part of a week.
-- Params: :sliceIds, :month (its first day). Result: accountId as text, week (its Sunday), a row each. Repeating finds none.
-- Not null: accountId, week.
WITH gone AS (
  DELETE FROM {table} t
   USING searchmill.slices s
   WHERE s.id = ANY (:sliceIds::bigint[]) AND (s.window_start < :month::date OR s.window_end >= (:month::date + interval '1 month')::date)
     AND t.account_id = s.account_id AND t.time_period_start BETWEEN s.window_start AND s.window_end AND t._slice = s.id
     AND (t.time_period_start < :month::date OR t.time_period_start >= (:month::date + interval '1 month')::date)
  RETURNING t.account_id, t.time_period_start
)
SELECT account_id::text AS "accountId", search_reports.week_of(time_period_start)::text AS week FROM gone
