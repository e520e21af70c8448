-- What a partition holds, by account and week. It reads all of it. Params: :sliceIds, the slices whose rows may go.
-- Result: accountId as text, week (its Sunday), rows, and strangers: rows of slices that are published and not among these, or that the
-- ledger does not know. Locks: none.
-- Not null: accountId, week, rows, strangers.
SELECT t.account_id::text AS "accountId", search_reports.week_of(t.time_period_start)::text AS week, count(*) AS rows,
       count(*) FILTER (WHERE s.id IS NULL OR NOT s.may_go) AS strangers
  FROM {table} t
  LEFT JOIN (SELECT id, published_execution_id IS NULL OR id = ANY (:sliceIds::bigint[]) AS may_go FROM searchmill.slices) s ON s.id = t._slice
 GROUP BY 1, 2
