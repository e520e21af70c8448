-- The current question of the job of an execution, for the window of its slice.
-- Params: :executionId. Result: dataset, accountId, connection, filters, filtersDigest, start, end. Locks: the job's row, shared: until
-- the transaction ends its question does not change. Jobs are locked before executions, so this comes first.
SELECT s.dataset, s.account_id AS "accountId", j.connection, j.filters, j.filters_digest AS "filtersDigest",
       s.window_start AS "start", s.window_end AS "end"
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
  JOIN searchmill.jobs j ON j.name = s.job
 WHERE e.id = :executionId
   FOR SHARE OF j
