-- Live executions with their slices, the most urgent first. Params: :job, or null for all. Locks: none.
-- Result: among others isPaused (its job or connection is); freeSince, since when it is due without a process; gaveUpAt and
-- gaveUpBecause, when and why the previous execution, within the last 24 hours, ended without rows.
-- Not null: id, job, dataset, connection, state, reason, pages, errorsInRow, leaseTakings, deathsInRow, progressAt, calls, isPaused,
--           windowStart, windowEnd, sliceId, stateSince, rowsReceived.
SELECT e.id, s.id AS "sliceId", s.job, s.dataset, e.connection, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd", e.state,
       e.state_since AS "stateSince", e.reason, e.due_at AS "dueAt", e.lease_owner AS "leaseOwner",
       e.lease_until > clock_timestamp() AS "isLeased", e.pages, e.rows_received AS "rowsReceived",
       searchmill.expected_rows(e.total_row_count, e.request)::text AS "totalRowCount", e.errors_in_row AS "errorsInRow", e.last_error AS "lastError",
       e.last_error_code AS "lastErrorCode", e.last_error_at AS "lastErrorAt", e.retrying_since AS "retryingSince",
       e.lease_takings AS "leaseTakings", e.deaths_in_row AS "deathsInRow",
       greatest(e.state_since, e.progress_at) AS "progressAt",
       CASE WHEN searchmill.has_passed(e.due_at) AND searchmill.is_free(e.lease_until, e.state)
            THEN greatest(e.due_at, e.lease_until) END AS "freeSince", e.waiting_for AS "waitingFor", e.objections, e.expires_at AS "expiresAt",
       (e.submit_started_at IS NOT NULL)::integer + e.poll_calls + e.page_calls AS calls,
       round(extract(epoch FROM clock_timestamp() - e.submit_started_at) * 1000)::float8 AS "durationMs",
       json_build_object('waitMs', e.wait_ms, 'networkMs', e.network_ms, 'decodeMs', e.decode_ms, 'copyMs', e.copy_ms,
                         'publishMs', e.publish_ms) AS timings,
       EXISTS (SELECT FROM searchmill.pauses p
                WHERE (p.kind, p.name) IN (('job', s.job), ('connection', e.connection))) AS "isPaused",
       before.ended_at AS "gaveUpAt", before.end_reason AS "gaveUpBecause"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
  LEFT JOIN LATERAL (SELECT p.state, p.submitted_at, p.ended_at, p.end_reason FROM searchmill.executions p
                      WHERE p.slice_id = e.slice_id AND p.id < e.id ORDER BY p.id DESC LIMIT 1) before
    ON before.state IN ('failed', 'abandoned') AND before.submitted_at IS NOT NULL AND before.ended_at > clock_timestamp() - interval '24 hours'
 WHERE e.ended_at IS NULL AND (:job::text IS NULL OR s.job = :job)
 ORDER BY e.priority, s.window_end DESC, s.job, e.id
