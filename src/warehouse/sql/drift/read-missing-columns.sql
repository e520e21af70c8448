-- Columns that a page of an execution did not have. Params: :executionId. Result: column. Locks: none.
SELECT column_name AS "column" FROM searchmill.drift_events WHERE execution_id = :executionId AND kind = 'missing_column' ORDER BY 1
