-- The execution whose quarantine is to be replayed: held, or the one its slice is published from.
-- Params: :executionId. Locks: its row, until the transaction ends.
-- Not null: windowStart, windowEnd.
SELECT e.id, e.state, e.rows_staged AS "rowsStaged", e.request, s.id AS "sliceId", s.job, s.dataset, s.account_id AS "accountId",
       s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = :executionId AND (e.state = 'held' OR (e.state = 'published' AND s.published_execution_id = e.id))
   FOR UPDATE OF e
