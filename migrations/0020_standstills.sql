-- When a load last got on, so that one that stands still is told from one that is long; and an index that finds submits whose
-- outcome was never known.
-- Guarantees: nothing that is there changes.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.executions ADD COLUMN progress_at timestamptz;
COMMENT ON COLUMN searchmill.executions.progress_at IS 'When pages were last committed or a poll was last answered; NULL before. A change of state is progress, too, see state_since.';

CREATE INDEX executions_unknown ON searchmill.executions (submit_started_at) WHERE submitted_at IS NULL AND submit_started_at IS NOT NULL;
