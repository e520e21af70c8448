-- What it takes that no answer replaces published rows by fewer unasked: the rows of each published week, consent to fewer rows
-- given with the plan of a load, and jobs that say that weeks without rows are right.
-- Guarantees: nothing that is there changes its meaning; the new columns say "unknown" or "no" of what was written before.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.slices ADD COLUMN published_week_rows bigint[];
COMMENT ON COLUMN searchmill.slices.published_week_rows IS 'Rows of the publication in each week of the window, the first week first; null for a window of one week (published_rows has them), and for what was published before this was written down.';

ALTER TABLE searchmill.executions ADD COLUMN may_shrink boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN searchmill.executions.may_shrink IS 'Whoever planned it has approved that its weeks have fewer rows than are published (backfill --approve); a week without rows is held all the same.';

ALTER TABLE searchmill.jobs ADD COLUMN allow_empty boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN searchmill.jobs.allow_empty IS 'The job says that weeks without rows are right, so that status does not tell of them.';
