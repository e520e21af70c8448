-- Executions of a job, newest first, with all the ledger knows of them; of one week when :day is given.
-- Params: :job, :day inside the week or null, :maxRows; :pastOnly leaves out those under way, and puts what ended or was held last first.
-- Locks: none.
-- Not null: executionId, sliceId, windowStart, windowEnd, reason, state, stateSince, connection, plannedAt, filtersDigest, pages,
--           rowsReceived, rowsStaged, rowsQuarantined, bytesReceived, pollCalls, pageCalls, submitCalls, errorsInRow, leaseTakings.
SELECT e.id AS "executionId", s.id AS "sliceId", s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd",
       e.reason, e.state, e.state_since AS "stateSince", e.connection, e.planned_at AS "plannedAt", e.submit_started_at AS "submitStartedAt",
       e.submitted_at AS "submittedAt", e.submit_outcome AS "submitOutcome", e.load_started_at AS "loadStartedAt", e.staged_at AS "stagedAt", e.held_at AS "heldAt",
       e.approved_at AS "approvedAt", e.ended_at AS "endedAt", e.end_reason AS "endReason", e.due_at AS "dueAt", e.expires_at AS "expiresAt",
       e.remote_execution_id AS "remoteExecutionId", e.remote_request_id AS "remoteRequestId", e.request, e.filters_digest AS "filtersDigest",
       e.pages, e.rows_received AS "rowsReceived", e.rows_staged AS "rowsStaged", e.rows_quarantined AS "rowsQuarantined",
       e.bytes_received AS "bytesReceived", searchmill.expected_rows(e.total_row_count, e.request)::float8 AS "totalRowCount",
       e.poll_calls AS "pollCalls", e.page_calls AS "pageCalls", (e.submit_started_at IS NOT NULL)::integer AS "submitCalls",
       e.waiting_for AS "waitingFor", e.last_error AS "lastError", e.last_error_at AS "lastErrorAt", e.errors_in_row AS "errorsInRow",
       e.lease_takings AS "leaseTakings", e.objections,
       json_build_object('waitMs', e.wait_ms, 'networkMs', e.network_ms, 'decodeMs', e.decode_ms, 'copyMs', e.copy_ms,
                         'publishMs', e.publish_ms) AS timings,
       p.published_at AS "publishedAt", p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_unchanged AS unchanged,
       p.rows_deleted AS deleted, s.published_execution_id = e.id AS "isInTable"
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
  LEFT JOIN searchmill.publications p ON p.execution_id = e.id
 WHERE s.job = :job AND (:day::date IS NULL OR :day::date BETWEEN s.window_start AND s.window_end)
   AND (NOT :pastOnly::boolean OR coalesce(e.ended_at, e.held_at) IS NOT NULL)
 ORDER BY CASE WHEN :pastOnly THEN coalesce(e.ended_at, e.held_at) END DESC, e.id DESC
 LIMIT :maxRows
