-- Takes a target that has messages waiting, so that one process at a time sends to it; or goes on with it.
-- Params: :target, :owner, :leaseMs. Result: one row when it may send. Locks: the row of the target, for the statement.
UPDATE searchmill.notification_targets t
   SET lease_owner = :owner, lease_until = clock_timestamp() + :leaseMs * interval '1 millisecond'
 WHERE name = :target AND due_at <= clock_timestamp()
   AND (lease_until IS NULL OR lease_until < clock_timestamp() OR lease_owner = :owner)
   AND EXISTS (SELECT FROM searchmill.notifications n WHERE n.target = :target AND n.delivered_at IS NULL AND n.given_up_at IS NULL
                AND (n.due_at IS NULL OR n.due_at <= clock_timestamp()))
RETURNING failures
