-- Takes the lease on an execution that is due and free: on :executionId, or on the most urgent planned one of :connection.
-- A paused execution is not taken, unless it is staged. At most two executions of a job wait for their submit or its answer: while the
-- service does not answer, only these have an unknown outcome.
-- Each claim has a new token; older tokens can write nothing. A lease that ran out instead of being given back is counted: see
-- deaths_in_row in docs/schema.sql.
-- Params: :executionId or :connection, the other one null; :owner, :leaseMs, :earlyMs (by which it may be early, as the clocks of queue
--         and database differ).
-- Result: id, leaseToken, or nothing. Locks: its row, and the submits of :connection, for the statement. A row that others are claiming or
--         publishing is skipped.
UPDATE searchmill.executions
   SET lease_token = lease_token + 1, lease_owner = :owner, lease_until = clock_timestamp() + make_interval(secs => :leaseMs::float8 / 1000),
       lease_takings = lease_takings + (lease_owner IS NOT NULL)::integer,
       deaths_in_row = deaths_in_row + (lease_owner IS NOT NULL AND (deaths_in_row = 0 OR at_work_since IS NOT NULL))::integer,
       at_work_since = NULL,
       retrying_since = CASE WHEN lease_owner IS NULL THEN retrying_since ELSE coalesce(retrying_since, clock_timestamp()) END
 WHERE id = (SELECT e.id FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
              WHERE (e.id = :executionId OR (e.state = 'planned' AND e.connection = :connection))
                AND e.ended_at IS NULL AND searchmill.has_passed(e.due_at - make_interval(secs => :earlyMs::float8 / 1000))
                AND searchmill.is_free(e.lease_until, e.state)
                AND (e.id = :executionId OR s.job <> ALL ((SELECT searchmill.lock_submits(:connection))::text[]))
                AND (e.state = 'staged'
                     OR NOT EXISTS (SELECT FROM searchmill.pauses p
                                     WHERE (p.kind = 'connection' AND p.name = e.connection) OR (p.kind = 'job' AND p.name = s.job)))
              ORDER BY e.priority, s.window_end DESC, e.id
              LIMIT 1
                FOR UPDATE OF e SKIP LOCKED)
RETURNING id, lease_token AS "leaseToken"
