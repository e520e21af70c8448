-- Rows of other jobs' slices that a replay takes over or deletes: those that have a replayed key and at least its first number.
-- Params: :job of the replay. Result: slice, account and digest as text, period, rows. Locks: none.
-- Not null: rows, digest, slice, account.
SELECT t._slice::text AS slice, t.account_id::text AS account, t.time_period_start AS period, count(*) AS rows, sum({digest})::text AS digest
  FROM {table} t
  JOIN (SELECT account_id, time_period_start, _key, min(_occurrence) AS first FROM {staging} GROUP BY 1, 2, 3) k
    ON t.account_id = k.account_id AND t.time_period_start = k.time_period_start AND t._key = k._key AND t._occurrence >= k.first
 WHERE t._slice NOT IN (SELECT id FROM searchmill.slices WHERE job = :job)
 GROUP BY 1, 2, 3
