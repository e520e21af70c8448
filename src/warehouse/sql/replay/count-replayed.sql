-- Moves replayed rows from one count of the execution to the other. A held execution is audited again.
-- States: held -> staged; published stays.
-- Params: :executionId, :rows.
UPDATE searchmill.executions
   SET rows_staged = rows_staged + :rows, rows_quarantined = rows_quarantined - :rows,
       state = CASE state WHEN 'held' THEN 'staged' ELSE state END,
       state_since = CASE state WHEN 'held' THEN clock_timestamp() ELSE state_since END,
       due_at = CASE state WHEN 'held' THEN clock_timestamp() ELSE due_at END,
       steps = steps + 1
 WHERE id = :executionId
