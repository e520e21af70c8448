-- The execution as its lease holder sees it, now.
-- Params: :executionId, :leaseToken. No row: the lease was lost. Locks: none.
-- Not null: priority, mayShrink, retryingForMs, isApproved.
SELECT e.id, e.lease_token AS "leaseToken", e.state, e.planned_at AS "plannedAt", e.slice_id AS "sliceId", e.connection, e.reason, searchmill.urgency(e.priority, e.expires_at) AS priority, e.steps,
       e.request, e.page_size AS "pageSize", e.filters_digest AS "filtersDigest",
       e.max_rejected_share AS "maxRejectedShare", e.max_rejected_rows AS "maxRejectedRows", e.min_keep_share AS "minKeepShare", e.max_submits AS "maxSubmits",
       e.may_shrink AND e.filters_digest = (SELECT j.filters_digest FROM searchmill.jobs j WHERE j.name = s.job) AS "mayShrink",
       e.remote_execution_id AS "remoteExecutionId", e.next_cursor AS "nextCursor", e.pages,
       e.rows_received AS "rowsReceived", e.rows_staged AS "rowsStaged", e.rows_quarantined AS "rowsQuarantined",
       e.total_row_count::text AS "totalRowCount", e.row_schema AS "rowSchema", e.errors_in_row AS "errorsInRow", e.poll_calls AS "pollCalls",
       e.deaths_in_row AS "deathsInRow", e.cursor_anchor AS "cursorAnchor",
       coalesce(extract(epoch FROM clock_timestamp() - e.retrying_since) * 1000, 0)::float8 AS "retryingForMs",
       e.approved_at IS NOT NULL AS "isApproved", e.held_at AS "heldAt",
       e.expires_at <= clock_timestamp() + interval '5 minutes' + coalesce((
         SELECT CASE WHEN r.minutes < 7 * 24 * 60 THEN r.minutes * interval '1 minute' END
           FROM (SELECT ceil((searchmill.expected_rows(e.total_row_count, e.request) - e.rows_received) / e.page_size::float8) / c.reads_per_minute AS minutes
                   FROM searchmill.connections c WHERE c.name = e.connection) r), interval '0') AS "isExpired",
       (extract(epoch FROM e.expires_at - clock_timestamp()) * 1000)::float8 AS "expiresInMs",
       e.submitted_at + e.max_wait <= clock_timestamp() AS "isOverdue",
       s.job, s.dataset, s.account_id AS "accountId", s.window_start AS "windowStart", s.window_end AS "windowEnd"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = :executionId AND e.lease_token = :leaseToken AND e.ended_at IS NULL
