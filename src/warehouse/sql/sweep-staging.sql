-- Removes the staging tables of executions that have ended, but those that somebody is reading.
-- Params: $1 execution, or null for all; $2 most tables. Result: removed, their number.
-- Locks: each table and the row of its execution, none of which is waited for. Repeating finds what is left.
SELECT searchmill.sweep_staging($1, $2) AS removed
