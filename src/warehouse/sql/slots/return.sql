-- Gives back the slots of calls that were not made, as if they had not been taken.
-- A slot that was taken again or replaced since then is left alone, so repeating changes nothing.
-- Params: :budget, :kind (submit | read), :slots of slots/take as JSON. Locks: the slots, for one statement.
UPDATE searchmill.call_slots s SET granted_at = r."formerlyAt"
  FROM jsonb_to_recordset(:slots::jsonb) AS r(slot integer, "takenAt" timestamptz, "formerlyAt" timestamptz)
 WHERE s.budget_id = :budget AND s.kind = :kind AND s.slot = r.slot AND s.granted_at = r."takenAt"
