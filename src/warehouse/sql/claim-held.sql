-- Takes the held execution of a slice out of everybody's hands, to discard it. Params: $1 slice.
-- Result: id, leaseToken. Repeating takes it again.
UPDATE searchmill.executions SET lease_token = lease_token + 1 WHERE slice_id = $1 AND state = 'held'
RETURNING id, lease_token AS "leaseToken"
