-- What each running scheduler is configured with, so that two with different files (a rolling deploy) leave each other's
-- jobs alone.
-- Guarantees: nothing about rows; a process of an earlier release leaves the new column null, and claims no job.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.instances ADD COLUMN jobs text[];
COMMENT ON COLUMN searchmill.instances.jobs IS 'Jobs it schedules; null when it schedules none.';
