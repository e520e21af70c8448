-- Answers 429 that came while our own log of calls had room: somebody else spends the credential.
-- Guarantees: elsewhere_at is set together with all other columns of this migration.
-- Processes of 1.0.0 do not write them: what they meet is not told.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.budgets
  ADD COLUMN elsewhere_since timestamptz,
  ADD COLUMN elsewhere_at timestamptz,
  ADD COLUMN elsewhere_times integer,
  ADD COLUMN elsewhere_kind text CHECK (elsewhere_kind IN ('submit', 'read')),
  ADD COLUMN elsewhere_used integer,
  ADD COLUMN elsewhere_of integer;
COMMENT ON COLUMN searchmill.budgets.elsewhere_since IS 'First of the answers 429 that came while our log had room, each within an hour of the one before.';
COMMENT ON COLUMN searchmill.budgets.elsewhere_at IS 'The last of them; null for none.';
COMMENT ON COLUMN searchmill.budgets.elsewhere_times IS 'How many of them.';
COMMENT ON COLUMN searchmill.budgets.elsewhere_kind IS 'Of the last: submit, or read (polls and pages together).';
COMMENT ON COLUMN searchmill.budgets.elsewhere_used IS 'Of the last: calls of its kind that we had made in the time before.';
COMMENT ON COLUMN searchmill.budgets.elsewhere_of IS 'Of the last: calls of its kind that we may make a minute.';
