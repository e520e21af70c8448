-- Lets one process at a time write which signals are sent to a target. Params: :target. Result: one row. Locks: the target's row, until the transaction
-- ends; who sends to it waits.
SELECT name FROM searchmill.notification_targets WHERE name = :target FOR UPDATE
