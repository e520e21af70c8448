-- One row a job and week: how it stands, and by which load. What boards, "searchmill status", the calendar and freshness show of weeks is read from here.
-- Triggers write it in the transactions that change jobs, slices and executions (migrations/repeatable/04_coverage.sql), those of old processes included.
-- Guarantees: a row for each week that a job expects or a slice covers.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

-- Without foreign keys: a job that gets another name takes its weeks along by its trigger, which would find them renamed or not, as the names of triggers sort.
CREATE TABLE searchmill.weeks (
  job          text NOT NULL,
  week         date NOT NULL,
  state        text NOT NULL CHECK (state IN ('published', 'running', 'held', 'failed', 'missing', 'expired')),
  published_at timestamptz,
  slice_id     bigint,
  execution_id bigint,
  PRIMARY KEY (job, week)
) WITH (fillfactor = 70);
COMMENT ON TABLE searchmill.weeks IS 'How each week of each job stands. searchmill.coverage shows it with what a load is at.';
COMMENT ON COLUMN searchmill.weeks.job IS 'Job.';
COMMENT ON COLUMN searchmill.weeks.week IS 'First day of the week.';
COMMENT ON COLUMN searchmill.weeks.state IS 'As in searchmill.coverage.';
COMMENT ON COLUMN searchmill.weeks.published_at IS 'When it was last published; null if its rows are not there.';
COMMENT ON COLUMN searchmill.weeks.slice_id IS 'Slice that covers the week: if several do, the one that says most of it. Null for none.';
COMMENT ON COLUMN searchmill.weeks.execution_id IS 'Latest execution of that slice.';
