-- Submits of the last 24 hours for which it is not known whether the service began them. One that was cancelled while it was under way
-- counts, too, if no process has recorded its outcome for longer than a call may take.
-- Params: :job, or null for all.
-- Result: job, submits, lost of them (their process ended), lastAt and lastReason of each job that has some. Locks: none.
-- Not null: submits, lost, lastAt, lastReason.
SELECT s.job, count(*)::integer AS submits, (count(*) FILTER (WHERE e.submit_outcome IS DISTINCT FROM 'unanswered'))::integer AS lost,
       max(e.submit_started_at) AS "lastAt",
       (array_agg(CASE WHEN e.submit_outcome IS NULL THEN 'no process has written down what came of a submit that was taken back meanwhile'
                       ELSE e.end_reason END ORDER BY e.submit_started_at DESC))[1] AS "lastReason"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.submitted_at IS NULL AND e.submit_started_at > clock_timestamp() - interval '24 hours'
   AND (e.submit_outcome IN ('unanswered', 'lost') OR (e.submit_outcome IS NULL AND e.ended_at < clock_timestamp() - interval '6 minutes'))
   AND (:job::text IS NULL OR s.job = :job)
 GROUP BY s.job
 ORDER BY s.job
