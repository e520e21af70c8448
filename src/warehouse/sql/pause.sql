-- Pauses a job or a connection. Params: $1 job | connection, $2 name, $3 reason or null. Result: pausedAt, reason, isNew.
-- Repeating keeps the time, and the reason where none is given.
INSERT INTO searchmill.pauses AS p (kind, name, reason) VALUES ($1, $2, $3)
ON CONFLICT (kind, name) DO UPDATE SET reason = coalesce(excluded.reason, p.reason)
RETURNING paused_at AS "pausedAt", reason, xmax = 0 AS "isNew"
