-- Columns that a page of an execution did not have. Params: $1 execution.
SELECT column_name FROM searchmill.drift_events WHERE execution_id = $1 AND kind = 'missing_column' ORDER BY 1
