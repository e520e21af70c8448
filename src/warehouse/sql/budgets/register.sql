-- Makes a budget known and locks it while its slots are brought to the configured number.
-- Params: :budget. Result: isNew, true when it was not known before. Locks: the budget's row, until the end of the transaction.
-- Repeating changes nothing.
-- Not null: isNew.
INSERT INTO searchmill.budgets AS b (id) VALUES (:budget)
ON CONFLICT (id) DO UPDATE SET id = excluded.id
RETURNING (xmax = 0) AS "isNew"
