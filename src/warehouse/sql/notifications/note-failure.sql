-- A message was not accepted. Params: :id, :target, :owner, :answer, :waitMs until the next attempt, :isGivenUp (the next message follows).
-- Does nothing if another process has taken over the target.
WITH failed AS (
  UPDATE searchmill.notification_targets
     SET attempted_at = clock_timestamp(), failures = failures + 1, failing_since = coalesce(failing_since, clock_timestamp()),
         error = :answer, due_at = clock_timestamp() + :waitMs * interval '1 millisecond', lease_owner = NULL, lease_until = NULL
   WHERE name = :target AND lease_owner = :owner
  RETURNING name
)
UPDATE searchmill.notifications
   SET attempted_at = clock_timestamp(), attempts = attempts + 1, answer = :answer,
       given_up_at = CASE WHEN :isGivenUp::boolean THEN clock_timestamp() END
 WHERE id = :id AND delivered_at IS NULL AND EXISTS (SELECT FROM failed)
