-- Removes budgets that no connection has any more and from which no call was granted for long, with their slots.
-- Params: :ageMs, :maxRows. Result: rows, the number of budgets. Locks: the rows it removes. Repeating finds what is left.
WITH old AS (
  SELECT b.id
    FROM searchmill.budgets b
   WHERE b.created_at < clock_timestamp() - :ageMs * interval '1 millisecond'
     AND NOT EXISTS (SELECT FROM searchmill.connections c WHERE c.budget_id = b.id)
     AND NOT EXISTS (SELECT FROM searchmill.call_slots s
                      WHERE s.budget_id = b.id AND s.granted_at >= clock_timestamp() - :ageMs * interval '1 millisecond')
   LIMIT :maxRows
     FOR UPDATE OF b SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.budgets WHERE id IN (SELECT id FROM old) RETURNING 1
)
SELECT count(*) AS rows FROM removed
