-- Removes notes of changes that no page which is kept was read before. Params: :ageMs, :maxRows. Result: figureChanges, their number.
-- Locks: the rows it removes. Repeating finds what is left.
-- Not null: figureChanges.
WITH old AS (
  SELECT ctid FROM searchmill.figure_changes WHERE changed_at < clock_timestamp() - :ageMs * interval '1 millisecond' LIMIT :maxRows
     FOR UPDATE SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.figure_changes WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS "figureChanges" FROM removed
