-- At least as many rows as the job has in the table in a window, by what its slices published: those of the window, and those
-- that were approved and may have rows anywhere. Params: $1 job, $2 first and $3 last day.
SELECT coalesce(sum(s.published_rows), 0)::bigint AS rows
  FROM searchmill.slices s
 WHERE s.job = $1 AND s.published_execution_id IS NOT NULL
   AND ((s.window_start <= $3 AND s.window_end >= $2)
        OR EXISTS (SELECT FROM searchmill.executions e WHERE e.id = s.published_execution_id AND e.approved_at IS NOT NULL))
