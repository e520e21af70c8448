-- Places of published rows that one statement can compare with the table: by dataset, account and month. Rows of removed jobs
-- may be deleted by hand, so their places are found only where the job is named.
-- Params: :job, or null for all that are configured; :from and :to, days that the weeks must touch, or null.
-- Result: dataset, accountId as text, from and to (first and last time_period_start), weeks (of jobs). Locks: none.
-- Not null: accountId, from, to, weeks.
SELECT dataset, account_id::text AS "accountId", min(period_start)::text AS from, max(period_start)::text AS to, count(DISTINCT (job, week)) AS weeks
  FROM (SELECT s.dataset, s.job, p.account_id, p.period_start,
               s.window_start + 7 * floor((p.period_start - s.window_start) / 7.0)::integer AS week
          FROM searchmill.published_periods p
          JOIN searchmill.slices s ON s.id = p.slice_id
          JOIN searchmill.jobs j ON j.name = s.job
         WHERE (s.job = :job OR :job::text IS NULL AND j.removed_at IS NULL)) places
 WHERE (:from::date IS NULL OR week + 6 >= :from::date) AND (:to::date IS NULL OR week <= :to::date)
 GROUP BY dataset, account_id, date_trunc('month', period_start)
 ORDER BY max(period_start) DESC, dataset, account_id
