-- A sign of life, and the removal of processes that have given none for a day.
-- Params: $1 id, $2 role, $3 host, $4 pid, $5 version, $6 jobs of its file, null of a mere worker. Repeating refreshes it.
WITH gone AS (DELETE FROM searchmill.instances WHERE seen_at < clock_timestamp() - interval '1 day' AND id <> $1)
INSERT INTO searchmill.instances (id, role, host, pid, version, jobs) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (id) DO UPDATE SET seen_at = clock_timestamp()
