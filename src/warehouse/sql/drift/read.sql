-- How the schemas of what is published or being loaded differ from what was expected: each difference once per dataset,
-- the latest first. Params: :job, or null for all. Result: dataset, kind, column, detail, since, jobs, loads. Locks: none.
-- Not null: since, jobs, loads, detail.
WITH first_seen AS (
  -- Also by loads that were published anew since, so that what was acknowledged does not come back with the next load.
  SELECT s.dataset, d.kind, d.column_name, min(d.created_at) AS since
    FROM searchmill.drift_events d JOIN searchmill.executions e ON e.id = d.execution_id JOIN searchmill.slices s ON s.id = e.slice_id
   GROUP BY s.dataset, d.kind, d.column_name
)
SELECT s.dataset, d.kind, d.column_name AS "column", (array_agg(d.detail ORDER BY d.created_at DESC))[1] AS detail,
       min(f.since) AS since, array_agg(DISTINCT s.job) AS jobs, count(DISTINCT e.id) AS loads
  FROM searchmill.drift_events d
  JOIN searchmill.executions e ON e.id = d.execution_id
  JOIN searchmill.slices s ON s.id = e.slice_id
  JOIN first_seen f ON (f.dataset, f.kind, f.column_name) = (s.dataset, d.kind, d.column_name)
 WHERE (e.ended_at IS NULL OR s.published_execution_id = e.id) AND (:job::text IS NULL OR s.job = :job)
 GROUP BY s.dataset, d.kind, d.column_name
 ORDER BY since DESC, s.dataset, d.kind, d.column_name
