-- Submits of the slice of execution $1 in the last 24 hours: accepted (the service gave an executionId) and unknown (the
-- intent was written, an executionId never was). Locks: none.
SELECT count(*) FILTER (WHERE o.submitted_at IS NOT NULL)::integer AS accepted,
       count(*) FILTER (WHERE o.submitted_at IS NULL)::integer AS unknown
  FROM searchmill.executions e
  JOIN searchmill.executions o ON o.slice_id = e.slice_id AND o.submit_started_at > clock_timestamp() - interval '24 hours'
 WHERE e.id = $1
