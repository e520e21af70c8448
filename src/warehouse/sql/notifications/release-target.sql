-- Leaves a target to other processes. Params: :target, :owner. Repeating changes nothing.
UPDATE searchmill.notification_targets SET lease_owner = NULL, lease_until = NULL WHERE name = :target AND lease_owner = :owner
