-- Removes what people did long ago. Params: :ageMs, :maxRows. Result: rows, their number.
-- Locks: the rows it removes. Repeating finds what is left.
WITH removed AS (
  DELETE FROM searchmill.actions
   WHERE id IN (SELECT id FROM searchmill.actions WHERE acted_at < clock_timestamp() - :ageMs * interval '1 millisecond' LIMIT :maxRows)
  RETURNING 1
)
SELECT count(*) AS rows FROM removed
