-- Removes those of some locked budgets that no connection has, with their slots. Params: :ids. Result: rows, the number of budgets.
-- Locks: the rows it removes. Repeating changes nothing.
WITH removed AS (
  DELETE FROM searchmill.budgets b
   WHERE id = ANY (:ids::text[]) AND NOT EXISTS (SELECT FROM searchmill.connections c WHERE c.budget_id = b.id)
  RETURNING 1
)
SELECT count(*) AS rows FROM removed
