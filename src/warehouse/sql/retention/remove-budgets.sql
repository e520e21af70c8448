-- Removes those of some locked budgets that no connection has, with their slots. Params: :ids. Result: budgets, their number.
-- Locks: the rows it removes. Repeating changes nothing.
-- Not null: budgets.
WITH removed AS (
  DELETE FROM searchmill.budgets b
   WHERE id = ANY (:ids::text[]) AND NOT EXISTS (SELECT FROM searchmill.connections c WHERE c.budget_id = b.id)
  RETURNING 1
)
SELECT count(*) AS budgets FROM removed
