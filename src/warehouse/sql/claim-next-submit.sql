-- Takes the lease on the most urgent planned execution of a connection that is due and not paused.
-- A lease that ran out instead of being given back is counted, see migration 0017.
-- Params: $1 connection, $2 owner, $3 lease in ms. Result: the execution, or nothing.
-- Locks: its row, for the statement; rows that others are claiming are skipped.
UPDATE searchmill.executions e
   SET lease_token = e.lease_token + 1, lease_owner = $2, lease_until = clock_timestamp() + make_interval(secs => $3::float8 / 1000),
       lease_takings = e.lease_takings + (e.lease_owner IS NOT NULL)::integer,
       deaths_in_row = e.deaths_in_row + (e.lease_owner IS NOT NULL AND (e.deaths_in_row = 0 OR e.at_work_since IS NOT NULL))::integer,
       at_work_since = NULL,
       retrying_since = CASE WHEN e.lease_owner IS NULL THEN e.retrying_since ELSE coalesce(e.retrying_since, clock_timestamp()) END
  FROM searchmill.slices s
 WHERE s.id = e.slice_id
   AND e.id = (SELECT c.id FROM searchmill.executions c JOIN searchmill.slices cs ON cs.id = c.slice_id
                WHERE c.ended_at IS NULL AND c.state = 'planned' AND c.connection = $1 AND searchmill.has_passed(c.due_at)
                  AND searchmill.is_free(c.lease_until, c.state)
                  AND NOT EXISTS (SELECT FROM searchmill.pauses p
                                   WHERE (p.kind = 'connection' AND p.name = $1) OR (p.kind = 'job' AND p.name = cs.job))
                ORDER BY c.priority, cs.window_end DESC, c.id
                LIMIT 1
                FOR UPDATE OF c SKIP LOCKED)
RETURNING e.id, e.lease_token AS "leaseToken", e.state, e.slice_id AS "sliceId", e.connection, e.reason, searchmill.urgency(e.priority, e.expires_at) AS priority, e.looks AS steps,
          e.request, e.page_size AS "pageSize", e.filters_digest AS "filtersDigest",
          e.max_rejected_share AS "maxRejectedShare", e.max_rejected_rows AS "maxRejectedRows", e.min_keep_share AS "minKeepShare", e.max_submits AS "maxSubmits",
          e.may_shrink AND e.filters_digest = (SELECT j.filters_digest FROM searchmill.jobs j WHERE j.name = s.job) AS "mayShrink",
          e.remote_execution_id AS "remoteExecutionId", e.next_cursor AS "nextCursor", e.pages,
          e.rows_received AS "rowsReceived", e.rows_staged AS "rowsStaged", e.rows_quarantined AS "rowsQuarantined",
          e.total_row_count::text AS "totalRowCount", e.row_schema AS "rowSchema", e.errors_in_row AS "errorsInRow", e.poll_calls AS "pollCalls",
          e.deaths_in_row AS "deathsInRow", e.cursor_anchor AS "cursorAnchor",
          coalesce(extract(epoch FROM clock_timestamp() - e.retrying_since) * 1000, 0)::float8 AS "retryingForMs",
          e.approved_at IS NOT NULL AS "isApproved", e.key_version AS "keyVersion",
          e.expires_at <= clock_timestamp() + interval '5 minutes' + coalesce(
            ceil((searchmill.expected_rows(e.total_row_count, e.request) - e.rows_received) / e.page_size::float8) * interval '60 seconds'
              / (SELECT c.reads_per_minute FROM searchmill.connections c WHERE c.name = e.connection),
            interval '0') AS "isExpired",
          (extract(epoch FROM e.expires_at - clock_timestamp()) * 1000)::float8 AS "expiresInMs",
          e.submitted_at + e.max_wait <= clock_timestamp() AS "isOverdue",
          s.job, s.dataset, s.account_id AS "accountId", s.window_start AS "windowStart", s.window_end AS "windowEnd"
