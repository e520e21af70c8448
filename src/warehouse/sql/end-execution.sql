-- Ends an execution without its rows. Params: $1 execution, $2 token, $3 failed | abandoned | discarded | cancelled, $4 why, $5 error code
--         or null. No row: the lease was lost. Its staging table is left to a sweep.
UPDATE searchmill.executions
   SET state = $3, state_since = clock_timestamp(), ended_at = clock_timestamp(), due_at = NULL, end_reason = $4,
       last_error_code = coalesce($5, last_error_code), lease_owner = NULL, lease_until = NULL, at_work_since = NULL
 WHERE id = $1 AND lease_token = $2 AND ended_at IS NULL
