-- Submits of the last 24 hours of which nobody can say whether the service took them: the intent was written, an executionId
-- never was.
-- Params: :job, or null for all. Result: job, submits, lastAt of each job that has some. Locks: none.
SELECT s.job, count(*)::integer AS submits, max(e.submit_started_at) AS "lastAt"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.submitted_at IS NULL AND e.submit_started_at > clock_timestamp() - interval '24 hours' AND e.ended_at IS NOT NULL
   AND (:job::text IS NULL OR s.job = :job)
 GROUP BY s.job
 ORDER BY s.job
