-- Takes a staged execution out of everybody's hands, to cancel it. Params: $1 execution. Result: id, leaseToken, state.
-- Locks: its row. One that is being published is skipped.
UPDATE searchmill.executions SET lease_token = lease_token + 1
 WHERE id = (SELECT id FROM searchmill.executions WHERE id = $1 AND state = 'staged' FOR UPDATE SKIP LOCKED)
RETURNING id, lease_token AS "leaseToken", state
