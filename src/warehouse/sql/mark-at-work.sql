-- Says that the lease holder works on an answer for this execution, or publishes it: should it die now, that counts.
-- Params: $1 execution, $2 token. No row: the lease was lost.
UPDATE searchmill.executions SET at_work_since = clock_timestamp() WHERE id = $1 AND lease_token = $2 AND lease_until IS NOT NULL
