-- Months that every job that loads into them can do without: each slice that is published or under way with a day in the month
-- belongs to a configured job with keep_weeks and ends before the weeks that the job keeps, and no configured job keeps or expects a week
-- there. Weeks are counted back from the newest published one, or from the newest expected one where that is older, so that a job
-- whose weeks stay away loses none.
-- Params: :jobs, a JSON array of the configured jobs: name, dataset, since (the first week wanted), newest (the newest expected week or
--         null) and keep (weeks, or null for all).
-- Result: dataset, month (its first day), partition (as Searchmill makes it, attached to its table; null where there is none), jobs,
--         sliceIds, weeks, firstWeek, lastWeek (their first days), rows as published, notedAt (since when it is known), by month.
-- Locks: none.
-- Not null: dataset, month, jobs, sliceIds, firstWeek, lastWeek, weeks, rows.
WITH configured AS (
  SELECT c.name, c.dataset,
         CASE WHEN c.keep IS NULL THEN c.since ELSE coalesce(least(c.newest, p.newest) - 7 * (c.keep - 1), c.since) END AS kept_from, c.keep IS NOT NULL AS may_expire
    FROM jsonb_to_recordset(:jobs) AS c (name text, dataset text, since date, newest date, keep integer)
    LEFT JOIN (SELECT job, max(window_end) - 6 AS newest FROM searchmill.slices WHERE published_execution_id IS NOT NULL GROUP BY job) p ON p.job = c.name
), covered AS (
  SELECT s.dataset, month::date AS month, s.id, s.job, s.window_start, s.window_end, s.published_rows,
         coalesce(c.may_expire AND s.window_end < c.kept_from AND l.slice_id IS NULL, false) AS is_expired
    FROM searchmill.slices s
    LEFT JOIN searchmill.executions l ON l.slice_id = s.id AND l.ended_at IS NULL
    LEFT JOIN configured c ON c.name = s.job AND c.dataset = s.dataset
   CROSS JOIN generate_series(date_trunc('month', s.window_start::timestamp), s.window_end::timestamp, interval '1 month') AS month
   WHERE s.published_execution_id IS NOT NULL OR l.slice_id IS NOT NULL
), months AS (
  SELECT dataset, month, array_agg(DISTINCT job ORDER BY job) AS jobs, array_agg(id::text) AS slice_ids, min(window_start) AS first_week,
         max(window_end) - 6 AS last_week, coalesce(sum(published_rows), 0)::bigint AS rows
    FROM covered
   GROUP BY dataset, month
  HAVING bool_and(is_expired)
)
SELECT m.dataset, m.month::text AS month, c.relname AS partition, m.jobs, m.slice_ids AS "sliceIds", m.first_week::text AS "firstWeek",
       m.last_week::text AS "lastWeek", (m.last_week - m.first_week) / 7 + 1 AS weeks, m.rows, e.noted_at AS "notedAt"
  FROM months m
  JOIN pg_catalog.pg_class p ON p.relname = m.dataset AND p.relkind = 'p' AND p.relnamespace = 'search'::regnamespace
  LEFT JOIN (pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid AND NOT i.inhdetachpending)
         ON i.inhparent = p.oid AND c.relkind = 'r' AND c.relnamespace = 'search_partitions'::regnamespace
        AND c.relname = m.dataset || to_char(m.month, '_YYYY_MM')
  LEFT JOIN searchmill.expiring_partitions e ON e.dataset = m.dataset AND e.month = m.month
 WHERE NOT EXISTS (SELECT FROM configured k WHERE k.dataset = m.dataset AND (m.month + interval '1 month')::date > k.kept_from)
 ORDER BY m.month, m.dataset
