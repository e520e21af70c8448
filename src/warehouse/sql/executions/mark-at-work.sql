-- Records that the lease holder works on an answer for this execution, or publishes it: if it dies now, that counts as a death.
-- Params: :executionId, :leaseToken. No row: the lease was lost.
UPDATE searchmill.executions SET at_work_since = clock_timestamp() WHERE id = :executionId AND lease_token = :leaseToken AND lease_until IS NOT NULL
