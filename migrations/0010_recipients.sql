-- Each recipient of an e-mail has a state of its own: one that is put off gets the message later, by itself, while others have it and while
-- later messages go on.
-- Guarantees: a recipient whose digest is in settled is not sent the message again.
-- Until processes of 1.0.0 end, a recipient may get a message twice.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.notifications
  ADD COLUMN settled text[] NOT NULL DEFAULT '{}',
  ADD COLUMN due_at timestamptz;
COMMENT ON COLUMN searchmill.notifications.settled IS 'Digests of recipients that have it or refuse it for good, while others are put off.';
COMMENT ON COLUMN searchmill.notifications.due_at IS 'When recipients that were put off are tried again; null: in its turn.';
