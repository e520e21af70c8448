-- Fences a publish: locks the execution's row for its holder until the transaction ends. Params: $1 execution, $2 token.
-- No row: the lease was lost.
SELECT id FROM searchmill.executions WHERE id = $1 AND lease_token = $2 AND state = 'staged' FOR UPDATE
