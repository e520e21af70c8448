-- The key of the digests that name budgets. Result: one row. Locks: none.
SELECT salt FROM searchmill.budget_salt
