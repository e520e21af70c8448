-- Submits spent on the slice of execution $1 in the last 24 hours, and when the oldest of them leaves that span.
-- Result: submits, free_in_ms (null when there are none).
SELECT count(*)::integer AS submits,
       (extract(epoch FROM min(o.submit_started_at) + interval '24 hours' - clock_timestamp()) * 1000)::float8 AS free_in_ms
  FROM searchmill.executions e
  JOIN searchmill.executions o ON o.slice_id = e.slice_id AND o.submit_started_at > clock_timestamp() - interval '24 hours'
 WHERE e.id = $1
