-- Says that the lease holder works on an answer for this execution, or publishes it: should it die now, that counts.
-- Params: :executionId, :leaseToken. No row: the lease was lost.
UPDATE searchmill.executions SET at_work_since = clock_timestamp() WHERE id = :executionId AND lease_token = :leaseToken AND lease_until IS NOT NULL
