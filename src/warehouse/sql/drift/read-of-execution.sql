-- How the schemas of an execution's pages differed from what was expected. Params: :executionId. Locks: none.
SELECT kind, column_name AS "column", page, detail
  FROM searchmill.drift_events
 WHERE execution_id = :executionId
 ORDER BY page, kind, column_name
