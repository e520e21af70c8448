-- Takes a staged execution away from its process, to cancel it. One that is being published is skipped.
-- Params: :executionId. Result: id, leaseToken, state. Locks: its row.
UPDATE searchmill.executions SET lease_token = lease_token + 1
 WHERE id = (SELECT id FROM searchmill.executions WHERE id = :executionId AND state = 'staged' FOR UPDATE SKIP LOCKED)
RETURNING id, lease_token AS "leaseToken", state
