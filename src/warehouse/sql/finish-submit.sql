-- Writes down the executionId and schedules the first poll.
-- Params: $1 execution, $2 token, $3 executionId, $4 requestId, $5 validity in ms counted from the intent, $6 ms until the poll.
-- Result: steps, priority. No row: the lease was lost, or the load was cancelled. Repeating, as when the answer was lost, only
-- moves the poll.
UPDATE searchmill.executions
   SET state = 'in_progress', state_since = clock_timestamp(), submitted_at = clock_timestamp(),
       remote_execution_id = $3, remote_request_id = $4,
       expires_at = submit_started_at + make_interval(secs => $5::float8 / 1000),
       due_at = clock_timestamp() + make_interval(secs => $6::float8 / 1000), looks = looks + 1,
       lease_owner = NULL, lease_until = NULL, waiting_for = NULL, errors_in_row = 0,
       deaths_in_row = 0, retrying_since = NULL
 WHERE id = $1 AND lease_token = $2
   AND (state = 'submitting' OR (state = 'in_progress' AND remote_execution_id = $3))
RETURNING looks AS steps, searchmill.urgency(priority, expires_at) AS priority
