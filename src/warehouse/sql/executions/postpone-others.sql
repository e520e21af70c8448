-- Puts off what else of a job waits for its submit over a connection, when the service has refused one of these submits again: it would
-- refuse the others, too, and the allowed calls are for other jobs.
-- Params: :executionId that was refused, :delayMs. Locks: their rows, for the statement; those that others hold are passed by.
UPDATE searchmill.executions
   SET due_at = greatest(due_at, clock_timestamp() + make_interval(secs => :delayMs::float8 / 1000)), looks = looks + 1
 WHERE id IN (SELECT e.id
                FROM searchmill.executions refused
                JOIN searchmill.slices rs ON rs.id = refused.slice_id
                JOIN searchmill.slices s ON s.job = rs.job
                JOIN searchmill.executions e ON e.slice_id = s.id
               WHERE refused.id = :executionId AND e.id <> refused.id AND e.connection = refused.connection
                 AND e.state = 'planned' AND e.ended_at IS NULL AND searchmill.is_free(e.lease_until, e.state)
                 FOR UPDATE OF e SKIP LOCKED)
