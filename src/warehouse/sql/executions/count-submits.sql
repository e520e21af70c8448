-- Submits of an execution's slice in the last 24 hours: accepted ones, for which the service gave an executionId, and unknown ones, of
-- which only the intent was written.
-- Params: :executionId. Result: accepted, unknown. Locks: none.
SELECT count(*) FILTER (WHERE o.submitted_at IS NOT NULL)::integer AS accepted,
       count(*) FILTER (WHERE o.submitted_at IS NULL)::integer AS unknown
  FROM searchmill.executions e
  JOIN searchmill.executions o ON o.slice_id = e.slice_id AND o.submit_started_at > clock_timestamp() - interval '24 hours'
 WHERE e.id = :executionId
