-- Loads that are under way, and those planned since a time. Params: :since. Result: id, job. Locks: none.
SELECT e.id, s.job
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.ended_at IS NULL OR e.planned_at >= :since
 ORDER BY e.id
