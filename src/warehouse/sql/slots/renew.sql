-- Counts calls from now on that may have arrived at the service only just now: each was answered late, or not at all.
-- A slot that was taken again or replaced since then is left alone, so repeating changes nothing.
-- Params: :budget, :kind (submit | read), :slots of slots/take as JSON, :carriedMs that every slot stays closed for longer than a minute.
-- Locks: the slots, for one statement.
UPDATE searchmill.call_slots s
   SET granted_at = greatest(s.granted_at, clock_timestamp() - make_interval(secs => :carriedMs::float8 / 1000))
  FROM jsonb_to_recordset(:slots::jsonb) AS r(slot integer, "takenAt" timestamptz)
 WHERE s.budget_id = :budget AND s.kind = :kind AND s.slot = r.slot AND s.granted_at = r."takenAt"
