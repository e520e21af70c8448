-- Rows of jobs that are no longer configured, in weeks that a configured job of their dataset and account has published: figures add both up.
-- Params: :job, or null for all. Result: job, dataset, beside (the configured jobs), rows, first and last day of their periods, removedAt.
-- Locks: none.
-- Not null: beside, rows, first, last, removedAt.
SELECT j.name AS job, j.dataset, array_agg(DISTINCT other.name ORDER BY other.name) AS beside,
       (SELECT sum(p.rows) FROM searchmill.published_periods p JOIN searchmill.slices s ON s.id = p.slice_id WHERE s.job = j.name)::bigint AS rows,
       min(p.period_start)::text AS first, max(p.period_start)::text AS last, j.removed_at AS "removedAt"
  FROM searchmill.jobs j
  JOIN searchmill.slices s ON s.job = j.name
  JOIN searchmill.published_periods p ON p.slice_id = s.id AND p.rows > 0
  JOIN searchmill.slices o ON o.dataset = s.dataset AND o.account_id = s.account_id AND o.published_execution_id IS NOT NULL
                          AND p.period_start BETWEEN o.window_start AND o.window_end
  JOIN searchmill.jobs other ON other.name = o.job AND other.removed_at IS NULL
 WHERE j.removed_at IS NOT NULL AND (:job::text IS NULL OR j.name = :job OR other.name = :job)
 GROUP BY j.name
 ORDER BY j.name
