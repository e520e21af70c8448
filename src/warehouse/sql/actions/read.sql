-- What people did to a job and to its connection, newest first.
-- Params: :job; :day inside the windows, or null for all; :maxRows. Locks: none.
SELECT a.acted_at AS "actedAt", a.actor, a.action, a.job, a.connection, a.slice_id AS "sliceId", a.execution_id AS "executionId",
       a.window_start::text AS "windowStart", a.window_end::text AS "windowEnd", a.reason
  FROM searchmill.actions a
 WHERE (a.job = :job OR a.connection = (SELECT connection FROM searchmill.jobs WHERE name = :job))
   AND (:day::date IS NULL OR a.window_start IS NULL OR :day::date BETWEEN a.window_start AND a.window_end)
 ORDER BY a.id DESC
 LIMIT :maxRows
