-- Who approved, discarded, cancelled, paused or resumed what, when and why.
-- Guarantees: nothing that is there changes.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE TABLE searchmill.actions (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  acted_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor        text        NOT NULL CHECK (length(actor) <= 200),
  action       text        NOT NULL CHECK (action IN ('approve', 'discard', 'cancel', 'reload', 'pause', 'resume')),
  job          text,
  connection   text,
  slice_id     bigint,
  execution_id bigint,
  window_start date,
  window_end   date,
  reason       text        CHECK (length(reason) <= 200)
);
CREATE INDEX actions_job ON searchmill.actions (job, id);
COMMENT ON TABLE searchmill.actions IS 'What people did: approvals, discards, cancellations, reloads, pauses.';
COMMENT ON COLUMN searchmill.actions.id IS 'Identifier, in order.';
COMMENT ON COLUMN searchmill.actions.acted_at IS 'When.';
COMMENT ON COLUMN searchmill.actions.actor IS 'Who: user@host of the command line, or the name given on the pages.';
COMMENT ON COLUMN searchmill.actions.action IS 'approve, discard, cancel, reload, pause or resume.';
COMMENT ON COLUMN searchmill.actions.job IS 'Job it was done to; null when to a connection.';
COMMENT ON COLUMN searchmill.actions.connection IS 'Connection it was done to; null when to a job.';
COMMENT ON COLUMN searchmill.actions.slice_id IS 'Slice it was done to; null when to a job or a connection.';
COMMENT ON COLUMN searchmill.actions.execution_id IS 'Execution it was done to; null when there was none.';
COMMENT ON COLUMN searchmill.actions.window_start IS 'First day of the window; null when it was done to a job or a connection.';
COMMENT ON COLUMN searchmill.actions.window_end IS 'Last day of the window, included.';
COMMENT ON COLUMN searchmill.actions.reason IS 'What whoever did it wrote; null when nothing.';
