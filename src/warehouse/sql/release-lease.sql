-- Gives the lease back unchanged: the execution is due again at once. Params: $1 execution, $2 token, $3 what it waits for or null.
-- Result: steps, priority. Repeating changes nothing.
UPDATE searchmill.executions SET lease_owner = NULL, lease_until = NULL, at_work_since = NULL, waiting_for = $3, looks = looks + 1
 WHERE id = $1 AND lease_token = $2 AND ended_at IS NULL
RETURNING looks AS steps, searchmill.urgency(priority, expires_at) AS priority
