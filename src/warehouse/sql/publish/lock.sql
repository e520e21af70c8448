-- Fences a publish: locks the execution's row for its holder until the transaction ends.
-- Params: :executionId, :leaseToken. No row: the lease was lost.
SELECT id FROM searchmill.executions WHERE id = :executionId AND lease_token = :leaseToken AND state = 'staged' FOR UPDATE
