-- Locks the slots of a budget, so that the next statement sees every call that was permitted. Params: :budget, :kind (submit | read).
-- Locks: its slots, until the transaction ends. Meanwhile none of them is taken. Slots that are being taken are waited for.
SELECT FROM searchmill.call_slots WHERE budget_id = :budget AND kind = :kind FOR UPDATE
