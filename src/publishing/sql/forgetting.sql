-- Forgetting an account: its rows, and what the ledger knows of them.

-- name: forgetting/count-rows
-- How many rows of a table name a slice. Params: :sliceId.
-- Not null: rows.
SELECT count(*) AS rows
  FROM {table} t
  JOIN searchmill.published_periods p ON t.account_id = p.account_id AND t.time_period_start = p.period_start AND t._slice = p.slice_id
 WHERE p.slice_id = :sliceId;

-- name: forgetting/delete-rows
-- Deletes the rows of a slice. Params: :sliceId. Result: accountId as text, week (its Sunday), rows. Repeating finds none.
-- Not null: accountId, week, rows.
WITH gone AS (
  DELETE FROM {table} t
   USING searchmill.published_periods p
   WHERE p.slice_id = :sliceId AND t.account_id = p.account_id AND t.time_period_start = p.period_start AND t._slice = p.slice_id
  RETURNING t.account_id, t.time_period_start
)
SELECT account_id::text AS "accountId", search_reports.week_of(time_period_start)::text AS week, count(*) AS rows FROM gone GROUP BY 1, 2;

-- name: forgetting/find-left
-- Rows of jobs that are removed or disabled, in weeks that a configured job of their dataset and account has published: figures add both up.
-- Params: :job, or null for all. Result: job, dataset, filters and isAsWritten (all that it published was asked for with them), besides (the
-- configured jobs: a list of name, filters, isAsWritten), rows, first and last day of their periods, removedAt (null: the job is disabled),
-- latest (when the last of the jobs was first planned for such a week). Locks: none.
-- Not null: job, dataset, isAsWritten, rows, first, last, latest.
WITH asked AS (
  SELECT j.name, j.filters,
         NOT EXISTS (SELECT FROM searchmill.slices s WHERE s.job = j.name AND s.published_execution_id IS NOT NULL
                       AND s.published_filters_digest IS DISTINCT FROM j.filters_digest) AS is_as_written
    FROM searchmill.jobs j
)
SELECT l.job, l.dataset, a.filters, a.is_as_written AS "isAsWritten",
       jsonb_agg(DISTINCT jsonb_build_object('name', o.name, 'filters', o.filters, 'isAsWritten', o.is_as_written)) AS besides,
       (SELECT sum(p.rows) FROM searchmill.published_periods p JOIN searchmill.slices s ON s.id = p.slice_id WHERE s.job = l.job)::bigint AS rows,
       min(l.day)::text AS first, max(l.day)::text AS last, l.removed_at AS "removedAt", max(l.latest) AS latest
  FROM search_reports.left_rows l JOIN asked a ON a.name = l.job CROSS JOIN unnest(l.beside) AS b (name) JOIN asked o ON o.name = b.name
 WHERE :job::text IS NULL OR l.job = :job OR :job = ANY (l.beside)
 GROUP BY l.job, l.dataset, a.filters, a.is_as_written, l.removed_at
 ORDER BY l.job;

-- name: forgetting/find-slices
-- Slices of a job that has rows in its table although it is removed or disabled, oldest first.
-- Params: :job. Result: id, windowStart, windowEnd, rows. No row: the job is loaded, or has none. Locks: none.
-- Not null: rows.
SELECT s.id, s.window_start AS "windowStart", s.window_end AS "windowEnd", sum(p.rows)::bigint AS rows
  FROM searchmill.jobs j
  JOIN searchmill.slices s ON s.job = j.name
  JOIN searchmill.published_periods p ON p.slice_id = s.id AND p.rows > 0
 WHERE j.name = :job AND (j.removed_at IS NOT NULL OR NOT j.enabled)
 GROUP BY s.id
 ORDER BY s.window_start, s.id;

-- name: forgetting/lock-stopped
-- Keeps a removed or disabled job from being loaded again until the transaction ends. Params: :job. No row: it is loaded. Locks: its row.
SELECT name FROM searchmill.jobs WHERE name = :job AND (removed_at IS NOT NULL OR NOT enabled) FOR UPDATE;

-- name: forgetting/note
-- After the rows of a slice were deleted: it is published no more, its weeks are summarized again, and followers of changes are told.
-- Params: :sliceId; :accounts and :weeks, lists with an entry for each week. Locks: the rows it changes, until the transaction ends.
WITH was AS MATERIALIZED (
  SELECT s.id, s.dataset, s.account_id, s.published_execution_id,
         (SELECT max(p.id) FROM searchmill.publications p WHERE p.execution_id = s.published_execution_id) AS publication_id
    FROM searchmill.slices s WHERE s.id = :sliceId
), unpublished AS (
  UPDATE searchmill.slices
     SET expired_at = clock_timestamp(), published_execution_id = NULL, published_at = NULL, published_rows = NULL, published_week_rows = NULL,
         published_filters_digest = NULL
   WHERE id = :sliceId
), forgotten AS (
  DELETE FROM searchmill.published_periods WHERE slice_id = :sliceId
), noted AS (
  INSERT INTO searchmill.figure_changes (account_id) SELECT account_id FROM was
), changed AS (
  INSERT INTO searchmill.week_changes (kind, dataset, account_id, week, slice_id, execution_id, publication_id)
  SELECT 'revised', was.dataset, w.account_id, w.week, was.id, was.published_execution_id, was.publication_id
    FROM was, unnest(:accounts::bigint[], :weeks::date[]) AS w (account_id, week)
)
SELECT search_reports.mark_weeks(was.dataset, w.account_id, array_agg(w.week ORDER BY w.week))
  FROM was, unnest(:accounts::bigint[], :weeks::date[]) AS w (account_id, week)
 GROUP BY was.dataset, w.account_id;
