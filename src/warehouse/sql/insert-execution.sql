-- Plans an execution for a slice unless one is live. Repeating, or two schedulers at once, plan it once.
-- Params: $1 slice, $2 connection, $3 reason, $4 priority, $5 filters digest, $6 submit body, $7 page size,
--         $8 max rejected share, $9 min keep share, $10 max wait in ms, $11 max submits,
--         $12 when it was planned, by the clock that schedules are read by, $13 whether its weeks may have fewer rows than are
--         published, $14 max rejected rows. Result: id when planned.
INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size,
                                   max_rejected_share, min_keep_share, max_wait, max_submits, planned_at,
                                   may_shrink, max_rejected_rows)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, make_interval(secs => $10::float8 / 1000), $11, $12, $13, $14)
ON CONFLICT (slice_id) WHERE ended_at IS NULL DO NOTHING
RETURNING id, looks AS steps
