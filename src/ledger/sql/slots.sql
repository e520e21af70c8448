-- Call slots of a budget: the sliding log that permits calls.

-- name: slots/lock
-- Locks the slots of a budget, so that the next statement sees every call that was permitted. Params: :budget, :kind (submit | read).
-- Locks: its slots, until the transaction ends. Meanwhile none of them is taken. Slots that are being taken are waited for.
SELECT FROM searchmill.call_slots WHERE budget_id = :budget AND kind = :kind FOR UPDATE;

-- name: slots/renew
-- Counts calls from now on that may have arrived at the service only just now: each was answered late, or not at all.
-- A slot that was taken again or replaced since then is left alone, so repeating changes nothing.
-- Params: :budget, :kind (submit | read), :slots of slots/take as JSON, :carriedMs that every slot stays closed for longer than a minute.
-- Locks: the slots, for one statement.
UPDATE searchmill.call_slots s
   SET granted_at = greatest(s.granted_at, clock_timestamp() - make_interval(secs => :carriedMs::float8 / 1000))
  FROM jsonb_to_recordset(:slots::jsonb) AS r(slot integer, "takenAt" timestamptz)
 WHERE s.budget_id = :budget AND s.kind = :kind AND s.slot = r.slot AND s.granted_at = r."takenAt";

-- name: slots/resize
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
  FROM present, generate_series(1, :slots::integer - present.slots) AS n;

-- name: slots/return
-- Gives back the slots of calls that were not made, as if they had not been taken.
-- A slot that was taken again or replaced since then is left alone, so repeating changes nothing.
-- Params: :budget, :kind (submit | read), :slots of slots/take as JSON. Locks: the slots, for one statement.
UPDATE searchmill.call_slots s SET granted_at = r."formerlyAt"
  FROM jsonb_to_recordset(:slots::jsonb) AS r(slot integer, "takenAt" timestamptz, "formerlyAt" timestamptz)
 WHERE s.budget_id = :budget AND s.kind = :kind AND s.slot = r.slot AND s.granted_at = r."takenAt";

-- name: slots/take
-- Takes up to :count slots of a credential's sliding log, one for each call, or none.
-- Params: :budget, :kind (submit | read), :gapMs before a slot may be taken again, :count of calls wanted, :probeMs until the next
--         probe while unauthorized.
-- Result: taken: calls that may go. slots: those of the calls, for slots/return. wait_ms: when none may go, how long until asking makes
--         sense. paused_because.
-- Locks: the slots it takes, for one statement. Slots that others hold are skipped, so callers never wait in line.
-- Exact: a slot was taken at least :gapMs before this statement began, so N slots bound any sliding minute.
-- Repeating takes further slots.
-- Not null: taken.
-- Planned once.
WITH ahead AS (
  -- Written before the clock was set back: the call may have been made just now.
  UPDATE searchmill.call_slots SET granted_at = clock_timestamp()
   WHERE budget_id = :budget AND kind = :kind AND granted_at > statement_timestamp() + interval '5 seconds'
), gate AS (
  SELECT CASE WHEN NOT searchmill.has_passed(paused_until) THEN paused_until END AS paused_until,
         CASE WHEN NOT searchmill.has_passed(probe_at) THEN probe_at END AS probe_at, unauthorized_since
    FROM searchmill.budgets WHERE id = :budget
), probe AS (
  UPDATE searchmill.budgets
     SET probe_at = clock_timestamp() + make_interval(secs => :probeMs::float8 / 1000 * power(2, least(probes, 4))), probes = probes + 1
   WHERE id = :budget AND unauthorized_since IS NOT NULL AND searchmill.has_passed(probe_at)
     AND (paused_until IS NULL OR searchmill.has_passed(paused_until))
     -- Not spent on a kind of call whose slots are all taken. Looked at only while unauthorized: the oldest slots are dear to
     -- find while a long transaction keeps what they were before.
     AND CASE WHEN unauthorized_since IS NOT NULL THEN EXISTS (
           SELECT FROM searchmill.call_slots
            WHERE budget_id = :budget AND kind = :kind AND granted_at <= statement_timestamp() - make_interval(secs => :gapMs::float8 / 1000)) END
  RETURNING id
), free AS (
  SELECT ctid AS row_id, slot, granted_at AS formerly_at FROM searchmill.call_slots
   WHERE budget_id = :budget AND kind = :kind AND granted_at <= statement_timestamp() - make_interval(secs => :gapMs::float8 / 1000)
   ORDER BY granted_at
   LIMIT (SELECT CASE WHEN paused_until IS NOT NULL THEN 0
                      WHEN unauthorized_since IS NULL THEN :count::integer
                      WHEN EXISTS (SELECT FROM probe) THEN 1
                      ELSE 0 END FROM gate)
     FOR UPDATE SKIP LOCKED
), taken AS (
  -- By row address, since a join by key reads all slots. The rows are locked, so their addresses stay.
  UPDATE searchmill.call_slots SET granted_at = clock_timestamp() WHERE ctid = ANY (ARRAY(SELECT row_id FROM free))
  RETURNING slot, granted_at
)
SELECT (SELECT count(*) FROM taken)::integer AS taken,
       (SELECT jsonb_agg(jsonb_build_object('slot', slot, 'takenAt', granted_at, 'formerlyAt', formerly_at))
          FROM taken JOIN free USING (slot)) AS slots,
       CASE WHEN NOT EXISTS (SELECT FROM taken) THEN
         ceil(extract(epoch FROM greatest(statement_timestamp(), gate.paused_until, gate.probe_at,
           (SELECT least(min(granted_at), statement_timestamp()) FROM searchmill.call_slots WHERE budget_id = :budget AND kind = :kind)
             + make_interval(secs => :gapMs::float8 / 1000)) - statement_timestamp()) * 1000)::float8 END AS wait_ms,
       CASE WHEN gate.unauthorized_since IS NOT NULL THEN 'unauthorized'
            WHEN gate.paused_until IS NOT NULL THEN 'rate_limited' END AS paused_because
  FROM gate;
