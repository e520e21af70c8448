-- Records the outcome of a submit whose rows are not read: it was refused, failed at once, cannot be read, was not answered,
-- or the load was cancelled or its job removed meanwhile. An execution that has not ended is ended next.
-- Params: :executionId, :leaseToken, :outcome, :isSpent (the service has answered as if it had begun a query), :remoteExecutionId or null,
--         :requestId or null, :validityMs (counted from the intent).
-- Result: isLive (it has not ended meanwhile). No row: the lease was lost. Repeating changes nothing else.
-- Not null: isLive.
UPDATE searchmill.executions
   SET submit_outcome = :outcome, remote_request_id = :requestId, remote_execution_id = :remoteExecutionId,
       submitted_at = CASE WHEN :isSpent THEN clock_timestamp() END,
       expires_at = CASE WHEN :isSpent THEN submit_started_at + make_interval(secs => :validityMs::float8 / 1000) END
 WHERE id = :executionId AND lease_token = :leaseToken AND state IN ('submitting', 'cancelled', 'abandoned')
RETURNING ended_at IS NULL AS "isLive"
