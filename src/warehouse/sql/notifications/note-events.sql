-- Up to where a target was told of weeks. Params: :target, :cursor. Repeating changes nothing.
UPDATE searchmill.notification_targets SET events_cursor = :cursor WHERE name = :target
