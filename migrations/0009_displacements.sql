-- How often a slice has lost its rows to loads of other jobs: two jobs that the service answers with the same rows would take them from each
-- other for ever.
-- Guarantees: a load that would take back rows a second time is held.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.slices ADD COLUMN displacements integer NOT NULL DEFAULT 0;
COMMENT ON COLUMN searchmill.slices.displacements IS 'How often loads of other jobs took its rows, since it was last published without taking rows of theirs.';
COMMENT ON COLUMN searchmill.slices.expired_at IS 'When its rows were removed by keep_weeks, or by forget after its job was removed, the last time; null when they never were.';
