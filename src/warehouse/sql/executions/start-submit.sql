-- The intent to submit, written once the call has its permit and before the POST leaves. A crash from here on leaves the state
-- submitting: the outcome is unknown, and the next step plans another execution.
-- States: planned -> submitting.
-- Params: :executionId, :leaseToken. No row: the lease was lost.
UPDATE searchmill.executions
   SET state = 'submitting', state_since = clock_timestamp(), submit_started_at = clock_timestamp()
 WHERE id = :executionId AND lease_token = :leaseToken AND state = 'planned'
