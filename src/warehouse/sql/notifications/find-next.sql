-- The oldest message that waits for a target. Params: :target. Result: id as text, messageId, body, attempts. Locks: none.
-- Not null: id.
SELECT id::text, message_id AS "messageId", body, attempts
  FROM searchmill.notifications n
 WHERE n.target = :target AND delivered_at IS NULL AND given_up_at IS NULL
 ORDER BY n.id LIMIT 1
