-- The oldest message that waits for a target and is due. Params: :target. Result: id as text, messageId, body, attempts, settled. Locks: none.
-- Not null: id.
SELECT id::text, message_id AS "messageId", body, attempts, settled
  FROM searchmill.notifications n
 WHERE n.target = :target AND delivered_at IS NULL AND given_up_at IS NULL
   AND (n.due_at IS NULL OR n.due_at <= clock_timestamp())
 ORDER BY n.id LIMIT 1
