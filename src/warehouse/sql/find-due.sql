-- What a bell should be rung for: live executions that are due and that nobody holds; most urgent first.
-- Params: $1 most rows, $2 seconds before its 7 days end in which a load goes first.
-- Result: id, looks, lease token, state, connection, priority. Locks: none.
SELECT id, looks, lease_token AS "leaseToken", state, connection,
       CASE WHEN expires_at < clock_timestamp() + make_interval(secs => $2::float8) THEN 0 ELSE priority END AS priority
  FROM searchmill.executions
 WHERE ended_at IS NULL AND due_at <= clock_timestamp()
   AND (lease_until IS NULL OR lease_until <= clock_timestamp())
 ORDER BY 6, due_at
 LIMIT $1
