-- How the slices of some executions are doing. Params: :executionIds. Result: the latest execution of each slice. Locks: none.
-- Not null: windowStart, windowEnd.
SELECT DISTINCT ON (s.id) s.id AS "sliceId", s.job, s.dataset, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd",
       e.id AS "executionId", e.state, e.pages, e.rows_received AS "rowsReceived", e.rows_quarantined AS "rowsQuarantined", searchmill.expected_rows(e.total_row_count, e.request)::text AS "totalRowCount",
       coalesce(e.end_reason, e.last_error) AS detail, e.waiting_for AS "waitingFor", e.errors_in_row AS "errorsInRow", e.objections,
       e.poll_calls AS "pollCalls", e.page_calls AS "pageCalls"
  FROM searchmill.executions w
  JOIN searchmill.slices s ON s.id = w.slice_id
  JOIN searchmill.executions e ON e.slice_id = s.id
 WHERE w.id = ANY (:executionIds::bigint[])
 ORDER BY s.id, e.id DESC
