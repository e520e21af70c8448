-- Publications: what the loads that were published took.

-- name: publications/read-last-loads
-- What the loads published last took, the latest first. Params: :job, or null for all; :maxRows. Locks: none.
-- Not null: calls, windowStart, windowEnd.
SELECT e.id AS "executionId", s.id AS "sliceId", s.job, s.dataset, s.window_start::text AS "windowStart",
       s.window_end::text AS "windowEnd", e.reason, e.submit_started_at AS "submittedAt", p.published_at AS "publishedAt",
       e.rows_received AS rows, e.pages, e.bytes_received AS bytes,
       (e.submit_started_at IS NOT NULL)::integer + e.poll_calls + e.page_calls AS calls,
       round(extract(epoch FROM p.published_at - e.submit_started_at) * 1000)::float8 AS "durationMs",
       json_build_object('waitMs', e.wait_ms, 'networkMs', e.network_ms, 'decodeMs', e.decode_ms, 'copyMs', e.copy_ms,
                         'publishMs', e.publish_ms) AS timings
  FROM searchmill.publications p
  JOIN searchmill.executions e ON e.id = p.execution_id
  JOIN searchmill.slices s ON s.id = p.slice_id
 WHERE :job::text IS NULL OR s.job = :job
 ORDER BY p.id DESC
 LIMIT :maxRows;
