-- Executions that wait for their submit with a question or connection other than the current one of their job.
-- Params: :jobs, their names. Result: job, sliceId, start, end of the window. Locks: none.
SELECT s.job, s.id AS "sliceId", s.window_start AS "start", s.window_end AS "end"
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
  JOIN searchmill.jobs j ON j.name = s.job
 WHERE e.ended_at IS NULL AND e.state = 'planned' AND j.name = ANY (:jobs::text[])
   AND (e.connection, e.filters_digest) IS DISTINCT FROM (j.connection, j.filters_digest)
