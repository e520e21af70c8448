-- Marks jobs that are no longer configured. Their published rows stay.
-- Params: $1 names that are configured. Result: names newly removed. Repeating changes nothing.
UPDATE searchmill.jobs SET removed_at = clock_timestamp()
 WHERE removed_at IS NULL AND name <> ALL ($1::text[])
RETURNING name
