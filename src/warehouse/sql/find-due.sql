-- What a bell should be rung for: live executions that are due and that nobody holds; most urgent first.
-- Params: $1 most rows.
-- Result: id, looks, lease token, state, connection, priority. Locks: none.
SELECT id, looks, lease_token AS "leaseToken", state, connection,
       searchmill.urgency(priority, expires_at) AS priority
  FROM searchmill.executions
 WHERE ended_at IS NULL AND searchmill.has_passed(due_at)
   AND (lease_until IS NULL OR searchmill.has_passed(lease_until))
 ORDER BY 6, due_at
 LIMIT $1
