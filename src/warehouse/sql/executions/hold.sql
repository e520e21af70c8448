-- The audit objected: keeps the staging and waits for approve or discard.
-- States: staged -> held.
-- Params: :executionId, :leaseToken, :objections, :elapsedMs. No row: the lease was lost.
UPDATE searchmill.executions
   SET state = 'held', state_since = clock_timestamp(), held_at = clock_timestamp(), due_at = NULL, objections = :objections,
       publish_ms = publish_ms + :elapsedMs, lease_owner = NULL, lease_until = NULL,
       at_work_since = NULL, retrying_since = NULL
 WHERE id = :executionId AND lease_token = :leaseToken AND state = 'staged'
