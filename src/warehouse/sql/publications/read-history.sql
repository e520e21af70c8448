-- What each publication of a job changed, newest first.
-- Params: :job, :day inside the week or null, :maxRows. Locks: none.
SELECT p.published_at AS "publishedAt", s.id AS "sliceId", s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd", e.id AS "executionId", e.reason,
       p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_unchanged AS unchanged, p.rows_deleted AS deleted,
       e.rows_quarantined AS quarantined, e.approved_at IS NOT NULL AS "isApproved"
  FROM searchmill.publications p
  JOIN searchmill.executions e ON e.id = p.execution_id
  JOIN searchmill.slices s ON s.id = p.slice_id
 WHERE s.job = :job AND (:day::date IS NULL OR :day::date BETWEEN s.window_start AND s.window_end)
 ORDER BY p.id DESC
 LIMIT :maxRows
