-- Plans an execution for a slice unless one is live. Repeating, or two schedulers at once, plan it once.
-- Params: :sliceId, :connection, :reason, :priority, :filtersDigest, :request (the submit body), :pageSize, :maxRejectedShare,
--         :maxRejectedRows, :minKeepShare, :maxWaitMs, :maxSubmits, :plannedAt by the clock that schedules are read by,
--         :mayShrink (its weeks may have fewer rows than are published).
-- Result: id; none when one is live.
INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size,
                                   max_rejected_share, min_keep_share, max_wait, max_submits, planned_at,
                                   may_shrink, max_rejected_rows)
VALUES (:sliceId, :connection, :reason, :priority, :filtersDigest, :request, :pageSize, :maxRejectedShare, :minKeepShare, make_interval(secs => :maxWaitMs::float8 / 1000), :maxSubmits, :plannedAt, :mayShrink, :maxRejectedRows)
ON CONFLICT (slice_id) WHERE ended_at IS NULL DO NOTHING
RETURNING id
