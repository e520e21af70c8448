-- Rows of weeks that are older than configured, and the partitions that they leave empty.

-- name: expiry/count-partition
-- What a partition holds, by account and week. It reads all of it. Params: :sliceIds, the slices whose rows may go.
-- Result: accountId as text, week (its Sunday), rows, and strangers: rows of slices that are published and not among these, or that the
-- ledger does not know. Locks: none.
-- Not null: accountId, week, rows, strangers.
SELECT t.account_id::text AS "accountId", search_reports.week_of(t.time_period_start)::text AS week, count(*) AS rows,
       count(*) FILTER (WHERE s.id IS NULL OR NOT s.may_go) AS strangers
  FROM {table} t
  LEFT JOIN (SELECT id, published_execution_id IS NULL OR id = ANY (:sliceIds::bigint[]) AS may_go FROM searchmill.slices) s ON s.id = t._slice
 GROUP BY 1, 2;

-- name: expiry/count-straddling
-- How many rows expiry/delete-straddling will delete. Params: :sliceIds, :month (its first day). Locks: none.
-- Not null: rows.
SELECT count(*) AS rows
  FROM {table} t JOIN searchmill.slices s ON t._slice = s.id AND t.account_id = s.account_id AND t.time_period_start BETWEEN s.window_start AND s.window_end
 WHERE s.id = ANY (:sliceIds::bigint[]) AND (s.window_start < :month::date OR s.window_end >= (:month::date + interval '1 month')::date)
   AND (t.time_period_start < :month::date OR t.time_period_start >= (:month::date + interval '1 month')::date);

-- name: expiry/delete-straddling
-- Deletes those rows of expired slices that lie in the months before and after, so that nobody sees a part of a week.
-- Params: :sliceIds, :month (its first day). Result: accountId as text, week (its Sunday), a row each. Repeating finds none.
-- Not null: accountId, week.
WITH gone AS (
  DELETE FROM {table} t
   USING searchmill.slices s
   WHERE s.id = ANY (:sliceIds::bigint[]) AND (s.window_start < :month::date OR s.window_end >= (:month::date + interval '1 month')::date)
     AND t.account_id = s.account_id AND t.time_period_start BETWEEN s.window_start AND s.window_end AND t._slice = s.id
     AND (t.time_period_start < :month::date OR t.time_period_start >= (:month::date + interval '1 month')::date)
  RETURNING t.account_id, t.time_period_start
)
SELECT account_id::text AS "accountId", search_reports.week_of(time_period_start)::text AS week FROM gone;

-- name: expiry/drop-partition
-- Detaches and drops the partition of a month. Params: :dataset, :month (its first day). Result: isRemoved, false when it is not there.
-- Locks: ACCESS EXCLUSIVE on the table, until the transaction ends, so run it last.
-- Not null: isRemoved.
SELECT searchmill.drop_partition(:dataset, :month) AS "isRemoved";

-- name: expiry/expire-slices
-- Slices whose rows are removed count as published no more, and the history says so.
-- Params: :sliceIds; :dataset and :month (its first day), whose partition is removed. Locks: their rows, until the transaction ends.
WITH published AS MATERIALIZED (
  SELECT id, job, published_execution_id, window_start, window_end FROM searchmill.slices WHERE id = ANY (:sliceIds::bigint[])
), expired AS (
  UPDATE searchmill.slices
     SET expired_at = clock_timestamp(), published_execution_id = NULL, published_at = NULL, published_rows = NULL,
         published_week_rows = NULL, published_filters_digest = NULL
   WHERE id = ANY (:sliceIds::bigint[])
), forgotten AS (
  DELETE FROM searchmill.published_periods p USING searchmill.slices s
   WHERE s.id = p.slice_id AND s.dataset = :dataset
     AND (s.id = ANY (:sliceIds::bigint[]) OR p.period_start BETWEEN :month::date AND (:month::date + interval '1 month')::date - 1)
)
INSERT INTO searchmill.actions (actor, action, reason, job, slice_id, execution_id, window_start, window_end)
SELECT 'retention', 'expire', 'keep_weeks', job, id, published_execution_id, window_start, window_end FROM published ORDER BY id;

-- name: expiry/find-expired
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
 ORDER BY m.month, m.dataset;

-- name: expiry/find-foreign-partition
-- A partition that has rows of these slices in a month for which Searchmill's own is not attached.
-- Params: :sliceIds; :month (its first day). Result: partition, qualified where the search path does not have its schema, or its shard
-- where rows are on nodes; no row where the rows are gone. Locks: none.
-- Not null: partition.
SELECT t.tableoid::regclass::text AS partition
  FROM {table} t
 WHERE t.account_id = ANY (ARRAY(SELECT account_id FROM searchmill.slices WHERE id = ANY (:sliceIds::bigint[]))) AND t._slice = ANY (:sliceIds::bigint[])
   AND t.time_period_start >= :month::date AND t.time_period_start < (:month::date + interval '1 month')::date
 LIMIT 1;

-- name: expiry/limit-waiting
-- Lets no statement of the transaction wait longer for a lock. Params: :lockTimeoutMs, as text.
SELECT set_config('lock_timeout', :lockTimeoutMs, true);

-- name: expiry/mark-expired
-- Marks the weeks whose rows are removed: readers leave them out, and a refresh removes their summaries.
-- Params: :dataset; :accounts and :weeks, lists with an entry for each week.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT subject, w.account_id, w.week, false
  FROM unnest(:accounts::bigint[], :weeks::date[]) AS w (account_id, week), unnest(search_reports.subjects_of(:dataset)) AS subject;

-- name: expiry/note-expiring
-- Notes the partitions that will be removed, and forgets those that will not any more.
-- Params: :partitions, a JSON array of dataset and month: all of them; :graceMs from the note to the removal.
-- Result: dataset, month, isNew, isDue, goesAt. Locks: these rows. Repeating changes nothing.
-- Not null: month, isNew, isDue, goesAt.
WITH expiring AS MATERIALIZED (
  SELECT dataset, month FROM jsonb_to_recordset(:partitions) AS p (dataset text, month date)
), forgotten AS (
  DELETE FROM searchmill.expiring_partitions e WHERE NOT EXISTS (SELECT FROM expiring p WHERE p.dataset = e.dataset AND p.month = e.month)
), noted AS (
  INSERT INTO searchmill.expiring_partitions (dataset, month) SELECT dataset, month FROM expiring
  ON CONFLICT (dataset, month) DO UPDATE SET dataset = excluded.dataset
  RETURNING dataset, month, xmax = 0 AS is_new, noted_at + :graceMs * interval '1 millisecond' AS goes_at
)
SELECT dataset, month::text AS month, is_new AS "isNew", goes_at <= clock_timestamp() AS "isDue", goes_at AS "goesAt" FROM noted;

-- name: expiry/note-removed
-- Notes that the rows of weeks are gone, for those who follow search_reports.changed_weeks.
-- Params: :dataset; :accounts and :weeks, lists with an entry for each week.
INSERT INTO searchmill.week_changes (kind, dataset, account_id, week)
SELECT 'removed', :dataset, account_id, week FROM unnest(:accounts::bigint[], :weeks::date[]) AS w (account_id, week);
