-- The audit objected: keeps the staging and waits for approve or discard.
-- Params: $1 execution, $2 token, $3 objections, $4 ms spent. No row: the lease was lost.
UPDATE searchmill.executions
   SET state = 'held', state_since = clock_timestamp(), held_at = clock_timestamp(), due_at = NULL, objections = $3,
       publish_ms = publish_ms + $4, lease_owner = NULL, lease_until = NULL,
       at_work_since = NULL, retrying_since = NULL
 WHERE id = $1 AND lease_token = $2 AND state = 'staged'
