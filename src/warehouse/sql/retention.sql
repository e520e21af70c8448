-- Retention: removing what is older than configured, from tables and ledger.

-- name: retention/count-partition
-- What a partition holds, by account and week. It reads all of it. Params: :sliceIds, the slices whose rows may go.
-- Result: accountId as text, week (its Sunday), rows, and strangers: rows of slices that are published and not among these, or that the
-- ledger does not know. Locks: none.
-- Not null: accountId, week, rows, strangers.
SELECT t.account_id::text AS "accountId", search_reports.week_of(t.time_period_start)::text AS week, count(*) AS rows,
       count(*) FILTER (WHERE s.id IS NULL OR NOT s.may_go) AS strangers
  FROM {table} t
  LEFT JOIN (SELECT id, published_execution_id IS NULL OR id = ANY (:sliceIds::bigint[]) AS may_go FROM searchmill.slices) s ON s.id = t._slice
 GROUP BY 1, 2;

-- name: retention/count-straddling
-- How many rows retention/delete-straddling will delete. Params: :sliceIds, :month (its first day). Locks: none.
-- Not null: rows.
SELECT count(*) AS rows
  FROM {table} t JOIN searchmill.slices s ON t._slice = s.id AND t.account_id = s.account_id AND t.time_period_start BETWEEN s.window_start AND s.window_end
 WHERE s.id = ANY (:sliceIds::bigint[]) AND (s.window_start < :month::date OR s.window_end >= (:month::date + interval '1 month')::date)
   AND (t.time_period_start < :month::date OR t.time_period_start >= (:month::date + interval '1 month')::date);

-- name: retention/delete-straddling
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

-- name: retention/drop-partition
-- Detaches and drops the partition of a month. Params: :dataset, :month (its first day). Result: isRemoved, false when it is not there.
-- Locks: ACCESS EXCLUSIVE on the table, until the transaction ends, so run it last.
-- Not null: isRemoved.
SELECT searchmill.drop_partition(:dataset, :month) AS "isRemoved";

-- name: retention/expire-slices
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

-- name: retention/find-expired
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

-- name: retention/find-foreign-partition
-- A partition that has rows of these slices in a month for which Searchmill's own is not attached.
-- Params: :sliceIds; :month (its first day). Result: partition, qualified where the search path does not have its schema, or its shard
-- where rows are on nodes; no row where the rows are gone. Locks: none.
-- Not null: partition.
SELECT t.tableoid::regclass::text AS partition
  FROM {table} t
 WHERE t.account_id = ANY (ARRAY(SELECT account_id FROM searchmill.slices WHERE id = ANY (:sliceIds::bigint[]))) AND t._slice = ANY (:sliceIds::bigint[])
   AND t.time_period_start >= :month::date AND t.time_period_start < (:month::date + interval '1 month')::date
 LIMIT 1;

-- name: retention/limit-waiting
-- Lets no statement of the transaction wait longer for a lock. Params: :lockTimeoutMs, as text.
SELECT set_config('lock_timeout', :lockTimeoutMs, true);

-- name: retention/lock-budgets
-- Locks budgets that may go: from which no call was granted for long. A process that registers a connection holds the budget's row, so that
-- retention/remove-budgets, which comes next, sees the connections of those that were locked. Params: :ageMs, :maxRows. Result: id.
-- Locks: these budgets, until the transaction ends; those that others hold are passed by.
SELECT b.id
  FROM searchmill.budgets b
 WHERE b.created_at < clock_timestamp() - :ageMs * interval '1 millisecond'
   AND NOT EXISTS (SELECT FROM searchmill.connections c WHERE c.budget_id = b.id)
   AND NOT EXISTS (SELECT FROM searchmill.call_slots s
                    WHERE s.budget_id = b.id AND s.granted_at >= clock_timestamp() - :ageMs * interval '1 millisecond')
 LIMIT :maxRows
   FOR UPDATE OF b SKIP LOCKED;

-- name: retention/mark-expired
-- Marks the weeks whose rows are removed: readers leave them out, and a refresh removes their summaries.
-- Params: :dataset; :accounts and :weeks, lists with an entry for each week.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT subject, w.account_id, w.week, false
  FROM unnest(:accounts::bigint[], :weeks::date[]) AS w (account_id, week), unnest(search_reports.subjects_of(:dataset)) AS subject;

-- name: retention/note-expiring
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

-- name: retention/note-removed
-- Notes that the rows of weeks are gone, for those who follow search_reports.changed_weeks.
-- Params: :dataset; :accounts and :weeks, lists with an entry for each week.
INSERT INTO searchmill.week_changes (kind, dataset, account_id, week)
SELECT 'removed', :dataset, account_id, week FROM unnest(:accounts::bigint[], :weeks::date[]) AS w (account_id, week);

-- name: retention/remove-actions
-- Removes what people did long ago, but for decisions on loads that are still there, such as the approval of what is published, and for
-- pauses that last. Params: :ageMs, :maxRows. Result: actions, their number.
-- Locks: the rows it removes. Repeating finds what is left.
-- Not null: actions.
WITH removed AS (
  DELETE FROM searchmill.actions
   WHERE id IN (SELECT a.id FROM searchmill.actions a
                 WHERE a.acted_at < clock_timestamp() - :ageMs * interval '1 millisecond'
                   AND NOT EXISTS (SELECT FROM searchmill.executions e WHERE e.id = a.execution_id)
                   AND (a.action <> 'pause' OR NOT EXISTS (
                          SELECT FROM searchmill.pauses p WHERE (p.kind, p.name) IN (('job', a.job), ('connection', a.connection))))
                 LIMIT :maxRows)
  RETURNING 1
)
SELECT count(*) AS actions FROM removed;

-- name: retention/remove-budgets
-- Removes those of some locked budgets that no connection has, with their slots. Params: :ids. Result: budgets, their number.
-- Locks: the rows it removes. Repeating changes nothing.
-- Not null: budgets.
WITH removed AS (
  DELETE FROM searchmill.budgets b
   WHERE id = ANY (:ids::text[]) AND NOT EXISTS (SELECT FROM searchmill.connections c WHERE c.budget_id = b.id)
  RETURNING 1
)
SELECT count(*) AS budgets FROM removed;

-- name: retention/remove-changes
-- Removes old changes of weeks. The latest change of each week and of each slice stays, so that a first publication is recognised.
-- Params: :ageMs, :maxRows. Result: changes, their number. Locks: the rows it removes. Repeating finds what is left.
-- Not null: changes.
WITH removed AS (
  DELETE FROM searchmill.week_changes
   WHERE cursor IN (SELECT c.cursor FROM searchmill.week_changes c
                     WHERE c.changed_at < clock_timestamp() - :ageMs * interval '1 millisecond'
                       AND EXISTS (SELECT FROM searchmill.week_changes later
                                    WHERE later.dataset = c.dataset AND later.account_id = c.account_id AND later.week = c.week
                                      AND later.cursor > c.cursor AND (later.kind <> 'held' OR c.kind = 'held') AND later.slice_id IS NOT DISTINCT FROM c.slice_id)
                     LIMIT :maxRows)
  RETURNING 1
)
SELECT count(*) AS changes FROM removed;

-- name: retention/remove-drift
-- Removes old schema differences, except those of running loads and of published weeks.
-- Params: :ageMs, :maxRows. Result: drift, their number. Locks: the rows it removes. Repeating finds what is left.
-- Not null: drift.
WITH old AS (
  SELECT d.ctid
    FROM searchmill.drift_events d
    JOIN searchmill.executions e ON e.id = d.execution_id
    JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE d.created_at < clock_timestamp() - :ageMs * interval '1 millisecond'
     AND e.ended_at IS NOT NULL AND e.id IS DISTINCT FROM s.published_execution_id
   LIMIT :maxRows
     FOR UPDATE OF d SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.drift_events WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS drift FROM removed;

-- name: retention/remove-executions
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
SELECT (SELECT count(*) FROM removed) AS executions, (SELECT count(*) FROM unpublished) AS publications;

-- name: retention/remove-figure-changes
-- Removes notes of changes that no page which is kept was read before. Params: :ageMs, :maxRows. Result: figureChanges, their number.
-- Locks: the rows it removes. Repeating finds what is left.
-- Not null: figureChanges.
WITH old AS (
  SELECT ctid FROM searchmill.figure_changes WHERE changed_at < clock_timestamp() - :ageMs * interval '1 millisecond' LIMIT :maxRows
     FOR UPDATE SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.figure_changes WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS "figureChanges" FROM removed;

-- name: retention/remove-quarantine
-- Removes old rows from quarantine that can no longer be replayed: those that were replayed, and those of loads that are neither
-- under way nor published.
-- Params: :ageMs, :maxRows. Result: quarantine, their number. Locks: the rows it removes. Repeating finds what is left.
-- Not null: quarantine.
WITH old AS (
  SELECT q.ctid
    FROM searchmill.quarantined_rows q
    JOIN searchmill.executions e ON e.id = q.execution_id
    JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE coalesce(q.replayed_at, q.created_at) < clock_timestamp() - :ageMs * interval '1 millisecond'
     AND e.ended_at IS NOT NULL AND (q.replayed_at IS NOT NULL OR e.id IS DISTINCT FROM s.published_execution_id)
   LIMIT :maxRows
     FOR UPDATE OF q SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.quarantined_rows WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS quarantine FROM removed;

-- name: retention/remove-told-accounts
-- Removes when targets were told of accounts that no job asks for any more. Params: :ageMs, :maxRows. Result: toldAccounts, their number.
-- Locks: the rows it removes. Repeating finds what is left.
-- Not null: toldAccounts.
WITH old AS (
  SELECT t.ctid FROM searchmill.told_accounts t
   WHERE NOT EXISTS (SELECT FROM searchmill.jobs j WHERE j.account_id = t.account_id
                        AND (j.removed_at IS NULL OR j.removed_at >= clock_timestamp() - :ageMs * interval '1 millisecond'))
   LIMIT :maxRows
     FOR UPDATE SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.told_accounts WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS "toldAccounts" FROM removed;

-- name: retention/take-turn
-- Lets one process at a time remove what is old. Result: isMine, false while another does.
-- Locks: one advisory lock, until the transaction ends.
-- Not null: isMine.
SELECT pg_try_advisory_xact_lock(hashtext('searchmill retention'), 0) AS "isMine";
