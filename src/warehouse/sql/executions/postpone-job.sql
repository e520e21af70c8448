-- Postpones the submits of a job over a connection if the service refuses one after another, to leave the calls to other jobs. If it
-- has accepted one of them recently, each waits separately. All wait as long as the last that was refused does, at most 5 minutes;
-- when one is refused again, the most urgent that was not tried yet goes on, and finds out whether it is refused, too.
-- Params: :executionId that was refused and put off. Locks: their rows, for the statement; those that others hold are passed by.
WITH refused AS (
  SELECT s.job, e.connection, e.errors_in_row
    FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE e.id = :executionId
), of_job AS (
  SELECT e.id, e.state, e.due_at, e.submit_outcome, CASE WHEN e.state = 'planned' THEN e.errors_in_row END AS refusals,
         row_number() OVER (PARTITION BY e.state, e.errors_in_row = 0 ORDER BY e.priority, s.window_end DESC, e.id) = 1 AS is_first
    FROM refused r
    JOIN searchmill.slices s ON s.job = r.job
    JOIN searchmill.executions e ON e.slice_id = s.id AND e.connection = r.connection
   WHERE (e.state = 'planned' AND e.ended_at IS NULL) OR (e.submit_outcome = 'accepted' AND e.submitted_at > clock_timestamp() - interval '10 minutes')
), wait AS (
  SELECT least(max(due_at) FILTER (WHERE refusals > 0), clock_timestamp() + interval '5 minutes') AS until
    FROM of_job
  HAVING sum(refusals) > 1 AND count(submit_outcome) = 0
)
UPDATE searchmill.executions
   SET due_at = greatest(due_at, wait.until), steps = steps + 1
  FROM wait
 WHERE id IN (SELECT e.id
                FROM searchmill.executions e JOIN of_job USING (id) CROSS JOIN refused r
               WHERE e.state = 'planned' AND e.ended_at IS NULL AND searchmill.is_free(e.lease_until, e.state)
                 AND (refusals > 0 OR r.errors_in_row = 1 OR NOT is_first)
                 FOR UPDATE OF e SKIP LOCKED)
