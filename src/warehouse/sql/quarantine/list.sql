-- Rows in quarantine by execution, for executions that still matter: published, held and running ones.
-- Params: :job, or null for all. Locks: none.
-- Not null: rows, columns, exampleReason, windowStart, windowEnd, latest.
SELECT e.id AS "executionId", s.id AS "sliceId", s.job, s.dataset, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd",
       e.state, count(*) AS rows, e.rows_received AS "rowsReceived",
       array_agg(DISTINCT coalesce(q.column_name, '(row)')) AS columns, min(q.reason) AS "exampleReason",
       coalesce(e.ended_at, clock_timestamp()) AS latest
  FROM searchmill.quarantined_rows q
  JOIN searchmill.executions e ON e.id = q.execution_id
  JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE q.replayed_at IS NULL AND (:job::text IS NULL OR s.job = :job)
   AND (e.ended_at IS NULL OR s.published_execution_id = e.id)
 GROUP BY e.id, s.id
 ORDER BY s.job, s.window_start, e.id
