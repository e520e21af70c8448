-- Removes old loads that have ended, with their publications. Of each slice, the latest load and the published one stay: coverage is
-- computed from them. A load with rows in quarantine or schema differences stays, too.
-- Params: :executionsMs, the age for those that were not published; :publicationsMs, for those that were; :maxRows.
-- Result: executions, of them publications. Locks: the rows it removes. Repeating finds what is left.
-- Not null: executions, publications.
WITH old AS (
  SELECT e.id
    FROM searchmill.executions e
    JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE e.ended_at < clock_timestamp()
                      - CASE WHEN e.state = 'published' THEN :publicationsMs ELSE :executionsMs END::bigint * interval '1 millisecond'
     AND e.id IS DISTINCT FROM s.published_execution_id
     AND EXISTS (SELECT FROM searchmill.executions n WHERE n.slice_id = e.slice_id AND n.id > e.id)
     AND NOT EXISTS (SELECT FROM searchmill.quarantined_rows q WHERE q.execution_id = e.id)
     AND NOT EXISTS (SELECT FROM searchmill.drift_events d WHERE d.execution_id = e.id)
   LIMIT :maxRows
     FOR UPDATE OF e SKIP LOCKED
), unpublished AS (
  DELETE FROM searchmill.publications WHERE execution_id IN (SELECT id FROM old) RETURNING 1
), removed AS (
  DELETE FROM searchmill.executions WHERE id IN (SELECT id FROM old) RETURNING 1
)
SELECT (SELECT count(*) FROM removed) AS executions, (SELECT count(*) FROM unpublished) AS publications
