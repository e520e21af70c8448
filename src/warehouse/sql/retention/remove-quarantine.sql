-- Removes old rows from quarantine that can no longer be replayed: those that were replayed, and those of loads that are neither
-- under way nor published.
-- Params: :ageMs, :maxRows. Result: quarantine, their number. Locks: the rows it removes. Repeating finds what is left.
-- Not null: quarantine.
WITH old AS (
  SELECT q.ctid
    FROM searchmill.quarantined_rows q
    JOIN searchmill.executions e ON e.id = q.execution_id
    JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE coalesce(q.replayed_at, q.created_at) < clock_timestamp() - :ageMs * interval '1 millisecond'
     AND e.ended_at IS NOT NULL AND (q.replayed_at IS NOT NULL OR e.id IS DISTINCT FROM s.published_execution_id)
   LIMIT :maxRows
     FOR UPDATE OF q SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.quarantined_rows WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS quarantine FROM removed
