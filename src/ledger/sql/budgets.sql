-- Budgets: one credential at one address, and what the service said of it. Their slots are in slots.sql.

-- name: budgets/note-spent-elsewhere
-- A 429 came: notes it if our own log of calls had room, since then others spend the credential. Run it before budgets/report-rate-limited, in
-- the same transaction: only the first 429 in a row is judged, because a service may count what it refuses.
-- Params: :budget, :kind of the call (submit | read), :lookBackMs in which our calls count, :strictShare of the limit by which the service's
--         may be lower, :runMs without such a 429 after which they are counted anew.
-- Locks: the budget's row, until the end of the transaction. Repeating it in a later transaction changes nothing.
UPDATE searchmill.budgets
   SET elsewhere_since = CASE WHEN elsewhere_at > clock_timestamp() - make_interval(secs => :runMs::float8 / 1000)
                              THEN elsewhere_since ELSE clock_timestamp() END,
       elsewhere_times = CASE WHEN elsewhere_at > clock_timestamp() - make_interval(secs => :runMs::float8 / 1000)
                              THEN elsewhere_times + 1 ELSE 1 END,
       elsewhere_at = clock_timestamp(), elsewhere_kind = :kind::text, elsewhere_used = log.used, elsewhere_of = log.slots
  FROM (SELECT count(*)::integer AS slots,
               (count(*) FILTER (WHERE granted_at > clock_timestamp() - make_interval(secs => :lookBackMs::float8 / 1000)))::integer AS used
          FROM searchmill.call_slots WHERE budget_id = :budget AND kind = :kind::text) AS log
 WHERE id = :budget AND rate_limited_in_row = 0 AND log.used <= log.slots - ceil(log.slots * :strictShare::float8);

-- name: budgets/read-salt
-- The key of the digests that name budgets. Result: one row. Locks: none.
SELECT salt FROM searchmill.budget_salt;

-- name: budgets/register
-- Makes a budget known and locks it while its slots are brought to the configured number.
-- Params: :budget. Result: isNew, true when it was not known before. Locks: the budget's row, until the end of the transaction.
-- Repeating changes nothing.
-- Not null: isNew.
INSERT INTO searchmill.budgets AS b (id) VALUES (:budget)
ON CONFLICT (id) DO UPDATE SET id = excluded.id
RETURNING (xmax = 0) AS "isNew";

-- name: budgets/report-accepted
-- A call was answered: ends being unauthorized, and the growth of pauses once the last pause is over.
-- Params: :budget. Repeating changes nothing.
UPDATE searchmill.budgets
   SET unauthorized_since = NULL, probe_at = NULL, probes = 0,
       rate_limited_in_row = CASE WHEN paused_until > clock_timestamp() THEN rate_limited_in_row ELSE 0 END
 WHERE id = :budget AND (unauthorized_since IS NOT NULL OR rate_limited_in_row > 0);

-- name: budgets/report-rate-limited
-- A 429 came: pauses the budget. Calls that were already under way when the pause began do not lengthen it twice.
-- Params: :budget, :retryAfterMs that the service asked for or null, :firstPauseMs, :maxPauseMs, :jitter (0 to 1).
-- Repeating while paused only keeps the later end.
UPDATE searchmill.budgets
   SET rate_limited_in_row = rate_limited_in_row + CASE WHEN paused_until > clock_timestamp() THEN 0 ELSE 1 END,
       rate_limited_at = clock_timestamp(),
       paused_until = CASE
         WHEN :retryAfterMs::float8 IS NULL AND paused_until > clock_timestamp() THEN paused_until
         ELSE greatest(paused_until, clock_timestamp() + make_interval(secs =>
                coalesce(:retryAfterMs::float8, least(:maxPauseMs::float8, :firstPauseMs::float8 * power(2, least(rate_limited_in_row, 20))) * (0.75 + 0.5 * :jitter::float8)) / 1000))
         END
 WHERE id = :budget;

-- name: budgets/report-unauthorized
-- A 401 came: from now on only a slow probe is sent with this credential.
-- Params: :budget, :probeMs until the first probe. Repeating keeps the first time and the next probe.
UPDATE searchmill.budgets
   SET unauthorized_since = coalesce(unauthorized_since, clock_timestamp()),
       probe_at = coalesce(probe_at, clock_timestamp() + make_interval(secs => :probeMs::float8 / 1000))
 WHERE id = :budget;
