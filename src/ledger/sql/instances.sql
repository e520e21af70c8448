-- Running processes, and which ledger they share.

-- name: instances/read
-- Processes that gave a sign of life within the last day, and whether they gave one within the last minute (isAlive). Locks: none.
-- Not null: isAlive.
SELECT id, role, host, pid, version, started_at AS "startedAt", seen_at AS "seenAt",
       seen_at > clock_timestamp() - interval '60 seconds' AS "isAlive", queue_error AS "queueError", queue_error_since AS "queueErrorSince",
       clock_ahead_s AS "clockAheadS", failing_rounds AS "failingRounds"
  FROM searchmill.instances
 ORDER BY role, id;

-- name: instances/read-ledger
-- Which ledger this is. Locks: none.
SELECT id FROM searchmill.ledger;

-- name: instances/remove
-- A process that has stopped. Params: :id. Repeating changes nothing.
DELETE FROM searchmill.instances WHERE id = :id;

-- name: instances/report
-- A sign of life, and the removal of processes that have given none for a day.
-- Params: :id, :role, :host, :pid, :version, :jobs of its file (null of a mere worker), :queueError (why it cannot use the queue, null
--         when it can), :sentAt by the clock of its machine, :failingRounds (a JSON array, null when none fails). Repeating refreshes it.
WITH gone AS (DELETE FROM searchmill.instances WHERE seen_at < clock_timestamp() - interval '1 day' AND id <> :id)
INSERT INTO searchmill.instances AS i (id, role, host, pid, version, jobs, queue_error, queue_error_since, clock_ahead_s, failing_rounds)
VALUES (:id, :role, :host, :pid, :version, :jobs, :queueError, CASE WHEN :queueError::text IS NOT NULL THEN clock_timestamp() END,
        extract(epoch FROM :sentAt::timestamptz - clock_timestamp()), :failingRounds::jsonb)
ON CONFLICT (id) DO UPDATE
   -- The stored value again where it is the same: a long list is not written anew.
   SET jobs = CASE WHEN i.jobs IS DISTINCT FROM excluded.jobs THEN excluded.jobs ELSE i.jobs END,
       seen_at = clock_timestamp(), queue_error = excluded.queue_error, clock_ahead_s = excluded.clock_ahead_s, failing_rounds = excluded.failing_rounds,
       queue_error_since = CASE WHEN excluded.queue_error IS NOT NULL THEN coalesce(i.queue_error_since, clock_timestamp()) END;
