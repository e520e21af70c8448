-- The key of the digests that name budgets. Result: one row.
SELECT salt FROM searchmill.budget_salt
