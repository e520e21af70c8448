-- The service took the submit, and nothing is read of it: the query failed at once, or meanwhile the load was cancelled or its job
-- removed. The submit was spent, and counts. An execution that has not ended is ended next.
-- Params: :executionId, :leaseToken, :remoteExecutionId or null, :requestId or null, :validityMs (counted from the intent).
-- No row: the lease was lost. Repeating changes nothing else.
UPDATE searchmill.executions
   SET submitted_at = clock_timestamp(), remote_execution_id = :remoteExecutionId, remote_request_id = :requestId,
       expires_at = submit_started_at + make_interval(secs => :validityMs::float8 / 1000)
 WHERE id = :executionId AND lease_token = :leaseToken AND state IN ('submitting', 'cancelled', 'abandoned')
