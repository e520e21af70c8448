-- What tells a load that does not get on: takings of its lease after its process died or hung, the time since when it only fails,
-- a mark to find pages that lead in a circle, and the last page that brought rows.
-- Guarantees: an execution that is under way goes on; nothing of what happened to it before counts.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.executions
  ADD COLUMN lease_takings  integer NOT NULL DEFAULT 0,
  ADD COLUMN deaths_in_row  integer NOT NULL DEFAULT 0,
  ADD COLUMN at_work_since  timestamptz,
  ADD COLUMN retrying_since timestamptz,
  ADD COLUMN cursor_anchor  text,
  ADD COLUMN last_rows_page integer NOT NULL DEFAULT 0;
UPDATE searchmill.executions SET last_rows_page = pages WHERE ended_at IS NULL;

COMMENT ON COLUMN searchmill.executions.lease_takings IS 'Times its lease ran out, since its process died or hung, and was taken by another.';
COMMENT ON COLUMN searchmill.executions.deaths_in_row IS 'Those of them since its last progress (an answered poll, a page) that count against it: the first, and then those during at_work_since. More than 3 end it; more than 10 hold it when it is staged.';
COMMENT ON COLUMN searchmill.executions.at_work_since IS 'Since when its process works on an answer for it, or publishes it, and on nothing else that is under suspicion. Only kept while deaths_in_row is not 0.';
COMMENT ON COLUMN searchmill.executions.retrying_since IS 'Since when its steps fail one after another, whatever the cause; NULL after any progress.';
COMMENT ON COLUMN searchmill.executions.cursor_anchor IS 'Digest of the cursor behind the last page whose number is a power of two. A later cursor that equals it leads in a circle.';
COMMENT ON COLUMN searchmill.executions.last_rows_page IS 'The last page that brought rows, or the last one committed with it.';
