-- Whether the service has left a submit of a job over a connection without an answer, and answered none of them since.
-- Params: :executionId, one of the job over the connection. Result: isUnanswered. Locks: none.
-- Not null: isUnanswered.
SELECT EXISTS (
  SELECT FROM searchmill.executions u JOIN searchmill.slices us ON us.id = u.slice_id
   WHERE us.job = s.job AND u.connection = e.connection AND u.submit_outcome = 'unanswered'
     AND u.submitted_at IS NULL AND u.submit_started_at > clock_timestamp() - interval '24 hours'
     AND NOT EXISTS (SELECT FROM searchmill.executions a JOIN searchmill.slices s2 ON s2.id = a.slice_id
                      WHERE s2.job = s.job AND a.connection = e.connection AND a.submit_started_at > u.submit_started_at
                        AND a.submit_outcome IN ('accepted', 'refused', 'unreadable'))) AS "isUnanswered"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = :executionId
