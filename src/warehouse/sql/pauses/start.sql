-- Pauses a job or a connection. Params: :kind (job | connection), :name, :reason or null. Result: pausedAt, reason, isNew.
-- Repeating keeps the time, and the reason where none is given.
-- Not null: isNew.
INSERT INTO searchmill.pauses AS p (kind, name, reason) VALUES (:kind, :name, :reason)
ON CONFLICT (kind, name) DO UPDATE SET reason = coalesce(excluded.reason, p.reason)
RETURNING paused_at AS "pausedAt", reason, xmax = 0 AS "isNew"
