-- Submits of an execution's slice in the last 24 hours since it was last published: spent ones, which the service has answered, and
-- unknown ones, for which it is not known whether the service began them.
-- Params: :executionId. Result: spent, unknown. Locks: none.
-- Not null: spent, unknown.
SELECT count(*) FILTER (WHERE o.submit_outcome IN ('accepted', 'unreadable'))::integer AS spent,
       count(*) FILTER (WHERE o.submit_outcome IN ('unanswered', 'lost'))::integer AS unknown
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
  JOIN searchmill.executions o ON o.slice_id = e.slice_id AND o.submit_started_at > clock_timestamp() - interval '24 hours'
                              AND o.id > coalesce(s.published_execution_id, 0)
 WHERE e.id = :executionId
