-- Acknowledged problems: what nobody is told again.

-- name: acknowledgements/put
-- Acknowledges what has happened until now. Params: :kind, :job, empty for all jobs. Result: acknowledgedAt. Repeating renews the time.
INSERT INTO searchmill.acknowledgements (kind, job) VALUES (:kind, :job)
ON CONFLICT (kind, job) DO UPDATE SET acknowledged_at = excluded.acknowledged_at
RETURNING acknowledged_at AS "acknowledgedAt";

-- name: acknowledgements/read
-- What was acknowledged, and when. Result: kind, job (empty for all), acknowledgedAt. Locks: none.
SELECT kind, job, acknowledged_at AS "acknowledgedAt" FROM searchmill.acknowledgements ORDER BY kind, job;
