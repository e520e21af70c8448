-- Weeks that are published without rows, of configured jobs that do not allow this (allow_empty). Of a week that
-- several slices cover the latest publication counts.
-- Params: :job, or null for all; :sliceIds, or null for all. Result: job, accountId, filters, weeks (how many), first, last.
-- Locks: none.
-- Not null: weeks, first, last.
SELECT j.name AS job, j.account_id AS "accountId", j.filters, count(*)::integer AS weeks, min(e.week)::text AS first, max(e.week)::text AS last
  FROM searchmill.jobs j
  JOIN (SELECT s.job, s.published_at, s.id, s.window_start + 7 * n AS week
          FROM searchmill.slices s, generate_series(0, (s.window_end - s.window_start) / 7) AS n
         WHERE s.published_execution_id IS NOT NULL AND (s.published_rows = 0 OR 0 = ANY (s.published_week_rows))
           AND (s.published_rows = 0 OR s.published_week_rows[n + 1] = 0)
           AND (:job::text IS NULL OR s.job = :job) AND (:sliceIds::bigint[] IS NULL OR s.id = ANY (:sliceIds))) e ON e.job = j.name
 WHERE j.removed_at IS NULL AND NOT j.allow_empty
   AND NOT EXISTS (SELECT FROM searchmill.slices o
                    WHERE o.job = e.job AND e.week BETWEEN o.window_start AND o.window_end AND o.published_at > e.published_at)
 GROUP BY j.name
 ORDER BY j.name
