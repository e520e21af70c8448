-- Acknowledges what has happened until now. Params: :kind, :job, empty for all jobs. Result: acknowledgedAt. Repeating renews the time.
INSERT INTO searchmill.acknowledgements (kind, job) VALUES (:kind, :job)
ON CONFLICT (kind, job) DO UPDATE SET acknowledged_at = excluded.acknowledged_at
RETURNING acknowledged_at AS "acknowledgedAt"
