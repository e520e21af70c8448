-- Processes that gave a sign of life within the last day, and whether they gave one within the last minute (isAlive). Locks: none.
-- Not null: isAlive.
SELECT id, role, host, pid, version, started_at AS "startedAt", seen_at AS "seenAt",
       seen_at > clock_timestamp() - interval '60 seconds' AS "isAlive", queue_error AS "queueError", queue_error_since AS "queueErrorSince",
       clock_ahead_s AS "clockAheadS", failing_rounds AS "failingRounds"
  FROM searchmill.instances
 ORDER BY role, id
