-- A sign of life, and the removal of processes that have given none for a day.
-- Params: $1 id, $2 role, $3 host, $4 pid, $5 version, $6 jobs of its file, null of a mere worker,
--         $7 why it cannot use the queue, null when it can. Repeating refreshes it.
WITH gone AS (DELETE FROM searchmill.instances WHERE seen_at < clock_timestamp() - interval '1 day' AND id <> $1)
INSERT INTO searchmill.instances AS i (id, role, host, pid, version, jobs, queue_error, queue_error_since)
VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $7::text IS NOT NULL THEN clock_timestamp() END)
ON CONFLICT (id) DO UPDATE
   SET seen_at = clock_timestamp(), queue_error = excluded.queue_error,
       queue_error_since = CASE WHEN excluded.queue_error IS NOT NULL THEN coalesce(i.queue_error_since, clock_timestamp()) END
