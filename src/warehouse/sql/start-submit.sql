-- The intent to submit, written after the call was granted and before the POST leaves.
-- Params: $1 execution, $2 token. No row: the lease was lost. A crash from here on leaves the state submitting: the outcome
-- is unknown, and the next step plans anew.
UPDATE searchmill.executions
   SET state = 'submitting', state_since = clock_timestamp(), submit_started_at = clock_timestamp()
 WHERE id = $1 AND lease_token = $2 AND state = 'planned'
