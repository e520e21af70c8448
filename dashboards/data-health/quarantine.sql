-- Title: Rows in quarantine
-- Question: Which rows could not be read, and why?
-- Chart: table
-- Note: "searchmill quarantine" shows them, and replays them when a newer release can read them.
-- Empty: No row is in quarantine.
-- Computed: Rows of published or running loads that did not decode and were not replayed, by job, column and reason.
-- Datasets: all
-- Order: 60
SELECT s.job, coalesce(q.column_name, '(row)') AS in_column, count(*) AS rows, min(s.window_start) AS first_day,
       max(s.window_end) AS last_day, min(q.reason) AS example
  FROM searchmill.quarantined_rows q
  JOIN searchmill.executions e ON e.id = q.execution_id
  JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE q.replayed_at IS NULL AND (e.ended_at IS NULL OR s.published_execution_id = e.id)
 GROUP BY 1, 2
 ORDER BY 3 DESC, 1, 2
 LIMIT 200
