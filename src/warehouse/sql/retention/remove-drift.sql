-- Removes old schema differences, except those of running loads and of published weeks.
-- Params: :ageMs, :maxRows. Result: drift, their number. Locks: the rows it removes. Repeating finds what is left.
-- Not null: drift.
WITH old AS (
  SELECT d.ctid
    FROM searchmill.drift_events d
    JOIN searchmill.executions e ON e.id = d.execution_id
    JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE d.created_at < clock_timestamp() - :ageMs * interval '1 millisecond'
     AND e.ended_at IS NOT NULL AND e.id IS DISTINCT FROM s.published_execution_id
   LIMIT :maxRows
     FOR UPDATE OF d SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.drift_events WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS drift FROM removed
