-- Takes a live execution away from its process, to cancel it.
-- A submit on its way keeps its token, so that its process can still write down what the service called the query.
-- Params: :executionId. Result: id, leaseToken, state. Locks: its row, which is waited for.
UPDATE searchmill.executions SET lease_token = lease_token + (state <> 'submitting')::integer
 WHERE id = :executionId AND ended_at IS NULL
RETURNING id, lease_token AS "leaseToken", state
