-- Title: Schema drift
-- Question: Which columns did the service add, drop, or change?
-- Chart: table
-- Note: Columns that the service added are kept in _extra.
-- Empty: The schemas are as expected.
-- Computed: Differences between the schema of published weeks and running loads and the expected one, once for each dataset and column.
-- Datasets: all
-- Order: 70
SELECT s.dataset, replace(d.kind, '_', ' ') AS kind, d.column_name AS of_column, min(d.created_at) AS since,
       count(DISTINCT e.id) AS loads, (array_agg(d.detail ORDER BY d.created_at DESC))[1] AS detail
  FROM searchmill.drift_events d
  JOIN searchmill.executions e ON e.id = d.execution_id
  JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.ended_at IS NULL OR s.published_execution_id = e.id
 GROUP BY s.dataset, d.kind, d.column_name
 ORDER BY since DESC, 1, 2, 3
 LIMIT 200
