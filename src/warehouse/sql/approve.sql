-- Publishes a held execution in spite of the audit. Params: $1 slice. Result: id, looks, priority.
-- Repeating changes nothing.
UPDATE searchmill.executions
   SET state = 'staged', state_since = clock_timestamp(), approved_at = clock_timestamp(), due_at = clock_timestamp(), looks = looks + 1
 WHERE slice_id = $1 AND state = 'held'
RETURNING id, looks, searchmill.urgency(priority, expires_at) AS priority
