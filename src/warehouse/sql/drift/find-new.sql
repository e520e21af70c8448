-- Differences of an execution's schemas that no earlier execution of its job had: what is told once. Params: :executionId.
-- Result: kind, column, page, detail. Locks: none.
SELECT d.kind, d.column_name AS "column", d.page, d.detail
  FROM searchmill.drift_events d
  JOIN searchmill.executions e ON e.id = d.execution_id
  JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE d.execution_id = :executionId
   AND NOT EXISTS (SELECT FROM searchmill.drift_events o
                     JOIN searchmill.executions oe ON oe.id = o.execution_id
                     JOIN searchmill.slices os ON os.id = oe.slice_id
                    WHERE os.job = s.job AND os.dataset = s.dataset AND o.execution_id < d.execution_id
                      AND o.kind = d.kind AND o.column_name = d.column_name)
 ORDER BY d.page, d.kind, d.column_name
