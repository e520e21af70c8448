-- Gives the lease back unchanged: the execution is due again at once.
-- Params: :executionId, :leaseToken, :waitingFor or null. Result: steps, priority. Repeating changes nothing.
-- Not null: priority.
UPDATE searchmill.executions SET lease_owner = NULL, lease_until = NULL, at_work_since = NULL, waiting_for = :waitingFor, steps = steps + 1
 WHERE id = :executionId AND lease_token = :leaseToken AND ended_at IS NULL
RETURNING steps, searchmill.urgency(priority, expires_at) AS priority
