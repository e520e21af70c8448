-- Ends an execution without its rows. Its staging table is left to a sweep.
-- States: those from which TRANSITIONS in states.ts allows :state.
-- Params: :executionId, :leaseToken, :state (failed | abandoned | discarded | cancelled), :statesBefore, :reason, :errorCode or null.
-- No row: the lease was lost, or it is in none of :statesBefore.
UPDATE searchmill.executions
   SET state = :state, state_since = clock_timestamp(), ended_at = clock_timestamp(), due_at = NULL, end_reason = :reason,
       last_error_code = coalesce(:errorCode, last_error_code), lease_owner = NULL, lease_until = NULL, at_work_since = NULL
 WHERE id = :executionId AND lease_token = :leaseToken AND state = ANY (:statesBefore::text[])
