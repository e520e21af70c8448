-- Loads that are under way, and those that were planned since a time. Params: $1 time. Result: id, job. Locks: none.
SELECT e.id, s.job
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.ended_at IS NULL OR e.planned_at >= $1
 ORDER BY e.id
