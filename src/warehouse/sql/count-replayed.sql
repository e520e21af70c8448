-- Moves replayed rows from one count of the execution to the other; a held one is audited again.
-- Params: $1 execution, $2 rows.
UPDATE searchmill.executions
   SET rows_staged = rows_staged + $2, rows_quarantined = rows_quarantined - $2,
       state = CASE state WHEN 'held' THEN 'staged' ELSE state END,
       state_since = CASE state WHEN 'held' THEN clock_timestamp() ELSE state_since END,
       due_at = CASE state WHEN 'held' THEN clock_timestamp() ELSE due_at END,
       looks = looks + 1
 WHERE id = $1
