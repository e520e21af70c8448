-- What keeps a process from using the queue, so that status can tell while nothing is due yet.
-- Guarantees: nothing that is there changes.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.instances ADD COLUMN queue_error text, ADD COLUMN queue_error_since timestamptz;
COMMENT ON COLUMN searchmill.instances.queue_error IS 'Why it cannot use the queue, by its last sign of life; NULL when it can.';
COMMENT ON COLUMN searchmill.instances.queue_error_since IS 'Since when it has not been able to use the queue; NULL when it can.';
