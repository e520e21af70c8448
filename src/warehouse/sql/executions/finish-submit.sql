-- Writes down the service's executionId and schedules the first poll.
-- States: submitting -> in_progress; in_progress stays.
-- Params: :executionId, :leaseToken, :remoteExecutionId, :requestId, :validityMs (counted from the intent), :firstPollMs from now.
-- Result: steps, priority. No row: the lease was lost, or the load was cancelled.
-- Repeating, as when the answer was lost, only moves the poll.
-- Not null: priority.
UPDATE searchmill.executions
   SET state = 'in_progress', state_since = clock_timestamp(), submitted_at = clock_timestamp(), submit_outcome = 'accepted',
       remote_execution_id = :remoteExecutionId, remote_request_id = :requestId,
       expires_at = submit_started_at + make_interval(secs => :validityMs::float8 / 1000),
       due_at = clock_timestamp() + make_interval(secs => :firstPollMs::float8 / 1000), steps = steps + 1,
       lease_owner = NULL, lease_until = NULL, waiting_for = NULL, errors_in_row = 0,
       deaths_in_row = 0, retrying_since = NULL
 WHERE id = :executionId AND lease_token = :leaseToken
   AND (state = 'submitting' OR (state = 'in_progress' AND remote_execution_id = :remoteExecutionId))
RETURNING steps, searchmill.urgency(priority, expires_at) AS priority
