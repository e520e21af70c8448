-- Drift: columns of answers that the dataset does not have, and the reverse.

-- name: drift/find-new
-- Differences of an execution's schemas that no earlier execution of its job had: what is told once. Params: :executionId.
-- Result: kind, column, page, detail. Locks: none.
SELECT d.kind, d.column_name AS "column", d.page, d.detail
  FROM searchmill.drift_events d
  JOIN searchmill.executions e ON e.id = d.execution_id
  JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE d.execution_id = :executionId
   AND NOT EXISTS (SELECT FROM searchmill.drift_events o
                     JOIN searchmill.executions oe ON oe.id = o.execution_id
                     JOIN searchmill.slices os ON os.id = oe.slice_id
                    WHERE os.job = s.job AND os.dataset = s.dataset AND o.execution_id < d.execution_id
                      AND o.kind = d.kind AND o.column_name = d.column_name)
 ORDER BY d.page, d.kind, d.column_name;

-- name: drift/insert
-- Writes down once per execution how a schema differed.
-- Params: :executionId, :page, :drift, a JSON array of kind, column and detail. Repeating changes nothing.
INSERT INTO searchmill.drift_events (execution_id, page, kind, column_name, detail)
SELECT :executionId, :page, kind, "column", detail FROM jsonb_to_recordset(:drift::jsonb) AS d (kind text, "column" text, detail text)
ON CONFLICT DO NOTHING
RETURNING kind, column_name, detail;

-- name: drift/read
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
   -- What was promoted is expected.
   AND NOT EXISTS (SELECT FROM searchmill.promotions p
                    WHERE p.dataset = s.dataset AND p.column_name = d.column_name AND d.kind = 'new_column')
 GROUP BY s.dataset, d.kind, d.column_name
 ORDER BY since DESC, s.dataset, d.kind, d.column_name;

-- name: drift/read-missing-columns
-- Columns that a page of an execution did not have. Params: :executionId. Result: column. Locks: none.
SELECT column_name AS "column" FROM searchmill.drift_events WHERE execution_id = :executionId AND kind = 'missing_column' ORDER BY 1;

-- name: drift/read-of-execution
-- How the schemas of an execution's pages differed from what was expected. Params: :executionId. Locks: none.
SELECT kind, column_name AS "column", page, detail
  FROM searchmill.drift_events
 WHERE execution_id = :executionId
 ORDER BY page, kind, column_name;
