-- Problems that an operator has acknowledged: what is true and stays true, such as a row that no version can decode.
-- Guarantees: one acknowledgement for each kind and job, the latest.
-- Processes of 1.0.0 show what was acknowledged.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.
CREATE TABLE searchmill.acknowledgements (
  kind            text        NOT NULL,
  job             text        NOT NULL DEFAULT '',
  acknowledged_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (kind, job)
);
COMMENT ON TABLE searchmill.acknowledgements IS 'Problems that are no longer told, until something of their kind happens anew. searchmill.actions has who acknowledged them, and why.';
COMMENT ON COLUMN searchmill.acknowledgements.kind IS 'Kind of problem.';
COMMENT ON COLUMN searchmill.acknowledgements.job IS 'Job it is about; empty for all.';
COMMENT ON COLUMN searchmill.acknowledgements.acknowledged_at IS 'What happened until then is not told.';

ALTER TABLE searchmill.actions DROP CONSTRAINT actions_action_check;
ALTER TABLE searchmill.actions ADD CONSTRAINT actions_action_check
  CHECK (action IN ('approve', 'discard', 'cancel', 'reload', 'pause', 'resume', 'expire', 'note', 'remove_note', 'acknowledge'));
COMMENT ON COLUMN searchmill.actions.action IS 'approve, discard, cancel, reload, pause, resume, expire or acknowledge; note or remove_note of an annotation.';
