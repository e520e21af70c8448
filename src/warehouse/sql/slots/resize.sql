-- Gives a budget exactly :slots slots for a kind of call, keeping those taken last. Run it after budgets/register and slots/lock.
-- A new slot of a known budget counts as just taken: raising a limit, or lowering and raising it, never lets more calls through in
-- any minute than the higher limit allows.
-- Params: :budget, :kind (submit | read), :slots, :isNew (the budget is new). Repeating changes nothing.
WITH surplus AS (
  DELETE FROM searchmill.call_slots
   WHERE (budget_id, kind, slot) IN (
     SELECT budget_id, kind, slot FROM searchmill.call_slots WHERE budget_id = :budget AND kind = :kind
      ORDER BY granted_at DESC, slot OFFSET :slots)
), present AS (
  SELECT count(*)::integer AS slots, coalesce(max(slot), -1) AS last FROM searchmill.call_slots WHERE budget_id = :budget AND kind = :kind
)
INSERT INTO searchmill.call_slots (budget_id, kind, slot, granted_at)
SELECT :budget, :kind, present.last + n, CASE WHEN :isNew THEN '-infinity' ELSE clock_timestamp() END
  FROM present, generate_series(1, :slots::integer - present.slots) AS n
