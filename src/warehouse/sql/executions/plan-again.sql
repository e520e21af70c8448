-- After an execution ended without rows, plans the next one for the same slice, with the current question. Consent to fewer rows
-- belongs to a question.
-- Params: :endedId, :connection, :filtersDigest, :request (the submit body), :delayMs until it is due. Result: id; none when one is live already.
INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size,
                                   max_rejected_share, max_rejected_rows, min_keep_share, max_wait, max_submits, may_shrink, planned_at, due_at)
SELECT slice_id, :connection, reason, priority, :filtersDigest, :request, page_size,
       max_rejected_share, max_rejected_rows, min_keep_share, max_wait, max_submits, may_shrink AND filters_digest = :filtersDigest,
       greatest(planned_at, clock_timestamp()), clock_timestamp() + make_interval(secs => :delayMs::float8 / 1000)
  FROM searchmill.executions WHERE id = :endedId
ON CONFLICT (slice_id) WHERE ended_at IS NULL DO NOTHING
RETURNING id
