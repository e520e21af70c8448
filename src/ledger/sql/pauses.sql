-- Paused jobs and connections.

-- name: pauses/end
-- Ends a pause. Executions in progress get as much more time as the pause lasted (max_wait), because they were not polled.
-- Params: :kind (job | connection), :name. Result: pausedAt; none when it was not paused. Repeating changes nothing.
WITH resumed AS (
  DELETE FROM searchmill.pauses WHERE kind = :kind AND name = :name RETURNING paused_at
), waited AS (
  UPDATE searchmill.executions e SET max_wait = e.max_wait + (clock_timestamp() - r.paused_at)
    FROM resumed r, searchmill.slices s
   WHERE s.id = e.slice_id AND e.ended_at IS NULL AND e.state = 'in_progress'
     AND CASE WHEN :kind = 'job' THEN s.job ELSE e.connection END = :name
)
SELECT paused_at AS "pausedAt" FROM resumed;

-- name: pauses/read
-- All jobs and connections that the ledger knows, and since when they are paused by hand.
-- Result: kind, name, pausedAt and reason, both null when it is not paused. Locks: none.
-- Not null: kind, name.
SELECT kind, name, p.paused_at AS "pausedAt", p.reason
  FROM (SELECT 'job' AS kind, name FROM searchmill.jobs UNION ALL SELECT 'connection', name FROM searchmill.connections) k
  FULL JOIN searchmill.pauses p USING (kind, name)
 ORDER BY kind, name;

-- name: pauses/start
-- Pauses a job or a connection. Params: :kind (job | connection), :name, :reason or null. Result: pausedAt, reason, isNew.
-- Repeating keeps the time, and the reason where none is given.
-- Not null: isNew.
INSERT INTO searchmill.pauses AS p (kind, name, reason) VALUES (:kind, :name, :reason)
ON CONFLICT (kind, name) DO UPDATE SET reason = coalesce(excluded.reason, p.reason)
RETURNING paused_at AS "pausedAt", reason, xmax = 0 AS "isNew";
