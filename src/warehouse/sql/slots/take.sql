-- Takes up to :count slots of a credential's sliding log, one for each call, or none.
-- Params: :budget, :kind (submit | read), :gapMs before a slot may be taken again, :count of calls wanted, :probeMs until the next
--         probe while unauthorized.
-- Result: taken: calls that may go. slots: those of the calls, for slots/return. wait_ms: when none may go, how long until asking makes
--         sense. paused_because.
-- Locks: the slots it takes, for one statement. Slots that others hold are skipped, so callers never wait in line.
-- Exact: a slot was taken at least :gapMs before this statement began, so N slots bound any sliding minute.
-- Repeating takes further slots.
-- Not null: taken.
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
  FROM gate
