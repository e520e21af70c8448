-- Gives a budget exactly $3 slots for a kind of call, keeping the ones granted last. Run it after register-budget and lock-slots.
-- Params: $1 budget, $2 kind, $3 slots, $4 true when the budget is new.
-- A new slot of a known budget counts as just granted: raising a limit, or lowering and raising it, never lets more calls
-- through in any minute than the higher limit allows.
-- Repeating changes nothing.
WITH surplus AS (
  DELETE FROM searchmill.call_slots
   WHERE (budget_id, kind, slot) IN (
     SELECT budget_id, kind, slot FROM searchmill.call_slots WHERE budget_id = $1 AND kind = $2
      ORDER BY granted_at DESC, slot OFFSET $3)
), present AS (
  SELECT count(*)::integer AS slots, coalesce(max(slot), -1) AS last FROM searchmill.call_slots WHERE budget_id = $1 AND kind = $2
)
INSERT INTO searchmill.call_slots (budget_id, kind, slot, granted_at)
SELECT $1, $2, present.last + n, CASE WHEN $4 THEN '-infinity' ELSE clock_timestamp() END
  FROM present, generate_series(1, $3::integer - present.slots) AS n
