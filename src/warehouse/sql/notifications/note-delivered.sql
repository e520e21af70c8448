-- A message was accepted. Params: :id, :target, :answer. Repeating changes nothing but times.
WITH delivered AS (
  UPDATE searchmill.notifications
     SET delivered_at = clock_timestamp(), attempted_at = clock_timestamp(), attempts = attempts + 1, answer = :answer
   WHERE id = :id
)
UPDATE searchmill.notification_targets
   SET attempted_at = clock_timestamp(), failures = 0, failing_since = NULL, error = NULL
 WHERE name = :target
