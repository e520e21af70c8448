-- Weeks of configured jobs for which a running service has counted a number of rows in the table that differs from what was published.
-- Params: :job, or null for all. Result: job, weeks, first and last of them, expected and found rows, since. Locks: none.
-- Not null: weeks, first, last, expected, found, since.
SELECT job, count(DISTINCT week) AS weeks, min(week)::text AS first, max(week)::text AS last,
       sum(rows)::bigint AS expected, sum(found_rows)::bigint AS found, min(differs_since) AS since
  FROM (SELECT s.job, s.window_start + 7 * floor((p.period_start - s.window_start) / 7.0)::integer AS week, p.rows, p.found_rows, p.differs_since
          FROM searchmill.published_periods p
          JOIN searchmill.slices s ON s.id = p.slice_id
          JOIN searchmill.jobs j ON j.name = s.job AND j.removed_at IS NULL
         WHERE p.differs_since IS NOT NULL AND (:job::text IS NULL OR s.job = :job)) unlike
 GROUP BY job
 ORDER BY job
