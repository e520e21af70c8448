-- A digest tells up to then. Params: :target, :at. Repeating changes nothing.
UPDATE searchmill.notification_targets SET digest_at = :at WHERE name = :target
