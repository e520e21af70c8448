-- A sign of life, and the removal of processes that have given none for a day.
-- Params: :id, :role, :host, :pid, :version, :jobs of its file (null of a mere worker), :queueError (why it cannot use the queue, null
--         when it can). Repeating refreshes it.
WITH gone AS (DELETE FROM searchmill.instances WHERE seen_at < clock_timestamp() - interval '1 day' AND id <> :id)
INSERT INTO searchmill.instances AS i (id, role, host, pid, version, jobs, queue_error, queue_error_since)
VALUES (:id, :role, :host, :pid, :version, :jobs, :queueError, CASE WHEN :queueError::text IS NOT NULL THEN clock_timestamp() END)
ON CONFLICT (id) DO UPDATE
   -- The stored value again where it is the same: a long list is not written anew.
   SET jobs = CASE WHEN i.jobs IS DISTINCT FROM excluded.jobs THEN excluded.jobs ELSE i.jobs END,
       seen_at = clock_timestamp(), queue_error = excluded.queue_error,
       queue_error_since = CASE WHEN excluded.queue_error IS NOT NULL THEN coalesce(i.queue_error_since, clock_timestamp()) END
