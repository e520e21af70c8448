-- What executions planned since a time have loaded, by dataset. Params: :since.
-- Result: dataset, windows published, their rows, calls spent (submits, polls, pages), seconds from the first plan to the last end.
-- Not null: windows, rows, calls, seconds.
SELECT s.dataset,
       count(*) FILTER (WHERE e.state = 'published') AS windows,
       coalesce(sum(e.rows_staged) FILTER (WHERE e.state = 'published'), 0)::bigint AS rows,
       (count(e.submit_started_at) + sum(e.poll_calls) + sum(e.page_calls))::bigint AS calls,
       extract(epoch FROM max(e.ended_at) - min(e.planned_at))::float8 AS seconds
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.planned_at >= :since
 GROUP BY s.dataset
