-- Removes the staging tables of ended executions, except those that are being read.
-- Params: :executionId, or null for all; :maxTables. Result: removed, their number.
-- Locks: each table and the row of its execution, none of which is waited for. Repeating finds what is left.
-- Not null: removed.
SELECT searchmill.sweep_staging(:executionId, :maxTables) AS removed
