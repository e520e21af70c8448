-- Locks the slots of a budget, so that the statement after it sees every grant. Params: $1 budget, $2 kind.
-- Locks: its slots, until the transaction ends; meanwhile nothing is granted from them. Waits for grants that are being made.
SELECT FROM searchmill.call_slots WHERE budget_id = $1 AND kind = $2 FOR UPDATE
