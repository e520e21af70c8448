-- Published periods: how many rows a week must have in the table, and their digest.

-- name: periods/add
-- Adds rows to what the table must have. Params: :periods, a JSON array of {slice, account, period, rows, digest}; numbers as text.
-- Locks: the rows it changes, until the transaction ends.
INSERT INTO searchmill.published_periods AS p (slice_id, account_id, period_start, rows, digest)
SELECT slice, account, period, rows, digest
  FROM jsonb_to_recordset(:periods::jsonb) AS given (slice bigint, account bigint, period date, rows bigint, digest numeric)
ON CONFLICT (slice_id, account_id, period_start) DO UPDATE
  SET rows = p.rows + excluded.rows, digest = p.digest + excluded.digest, checked_at = excluded.checked_at;

-- name: periods/add-staged
-- As periods/add, of all staged rows: for an answer that has more periods than are sent. Params: :sliceId.
INSERT INTO searchmill.published_periods AS p (slice_id, account_id, period_start, rows, digest)
SELECT :sliceId::bigint, s.account_id, s.time_period_start, count(*), sum({digest})
  FROM {staging} s
 GROUP BY s.account_id, s.time_period_start
ON CONFLICT (slice_id, account_id, period_start) DO UPDATE
  SET rows = p.rows + excluded.rows, digest = p.digest + excluded.digest, checked_at = excluded.checked_at;

-- name: periods/compare
-- Slices whose rows in the table differ from what was published, in number or content. It reads the rows.
-- Placeholders: the sum of the digests of rows, and the number of rows whose key does not follow from their values; both are 0 where rows are only counted.
-- Params: :dataset, :accountId, :from and :to (first and last time_period_start), :isDeep (whether content is compared).
-- Result: sliceId as text; job, null for a slice that the ledger does not know; isRemoved: the job is not configured; period; the week of the slice that has
--         the period, or the period itself for an unknown slice; expected and found rows; isAltered: as many rows as published, with other content;
--         isMisnamed: keys do not follow from the values. Locks: none.
-- Not null: sliceId, isRemoved, period, week, expected, found, isAltered, isMisnamed.
SELECT slice_id::text AS "sliceId", s.job, j.removed_at IS NOT NULL AS "isRemoved", period_start::text AS period,
       coalesce(s.window_start + 7 * floor((period_start - s.window_start) / 7.0)::integer, period_start)::text AS week,
       coalesce(p.rows, 0) AS expected, coalesce(t.rows, 0) AS found, coalesce(p.rows, 0) = coalesce(t.rows, 0) AS "isAltered",
       coalesce(t.misnamed, 0) > 0 AS "isMisnamed"
  FROM (SELECT p.* FROM searchmill.published_periods p JOIN searchmill.slices s ON s.id = p.slice_id
         WHERE s.dataset = :dataset AND p.account_id = :accountId AND p.period_start BETWEEN :from AND :to) p
  FULL JOIN (SELECT t._slice AS slice_id, t.time_period_start AS period_start, count(*) AS rows, sum({digest}) AS digest, {misnamed} AS misnamed
               FROM {table} t
              WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :from AND :to
              GROUP BY t._slice, t.time_period_start) t USING (slice_id, period_start)
  LEFT JOIN searchmill.slices s ON s.id = slice_id
  LEFT JOIN searchmill.jobs j ON j.name = s.job
 WHERE coalesce(p.rows, 0) <> coalesce(t.rows, 0)
    OR (:isDeep::boolean AND (coalesce(p.digest, 0) <> coalesce(t.digest, 0) OR t.misnamed > 0))
 ORDER BY period_start, slice_id;

-- name: periods/displace-slices
-- Slices of configured jobs that lose rows to a publication or a replay are not published any more as they were asked for, so their weeks are
-- missing and are planned again. Slices with a question other than the current one of their job stay as they are: they are known to be outdated.
-- Params: :periods, the rows as of periods/subtract; :job that takes them. Locks: the rows of the slices, until the transaction ends.
UPDATE searchmill.slices s
   SET published_execution_id = NULL, published_at = NULL, published_filters_digest = NULL, published_week_rows = NULL,
       published_rows = s.published_rows - taken.rows, displaced_at = clock_timestamp(),
       displacements = s.displacements + 1,
       displaced_reason = format('a load of job %s took %s of its %s rows', :job::text, taken.rows, s.published_rows)
  FROM (SELECT slice, sum(rows)::bigint AS rows FROM jsonb_to_recordset(:periods::jsonb) AS given (slice bigint, rows bigint) GROUP BY 1) taken,
       searchmill.jobs j
 WHERE s.id = taken.slice AND j.name = s.job AND j.removed_at IS NULL AND s.published_filters_digest = j.filters_digest;

-- name: periods/find-due
-- Periods whose rows are to be counted again. For each dataset and account, the newest two weeks and those that differed, after a short time; the others
-- after a long time, and only so many at once that they are spread over it.
-- Params: :newestAgeMs, :ageMs; :share of all rows that are counted in a round, but at least :minRows.
-- Result: dataset, accountId as text, from and to (both the period). Locks: none.
-- Not null: accountId, from, to.
WITH known AS (
  SELECT s.dataset, p.account_id, p.period_start, sum(p.rows) AS rows, min(p.checked_at) AS checked_at,
         bool_or(p.differs_since IS NOT NULL)
           OR p.period_start > max(p.period_start) OVER (PARTITION BY s.dataset, p.account_id) - 14 AS is_urgent
    FROM searchmill.published_periods p
    JOIN searchmill.slices s ON s.id = p.slice_id
    JOIN searchmill.jobs j ON j.name = s.job AND j.removed_at IS NULL
   GROUP BY s.dataset, p.account_id, p.period_start
), due AS (
  SELECT *, sum(rows) OVER (PARTITION BY is_urgent ORDER BY checked_at, dataset, account_id, period_start) - rows AS rows_before
    FROM known
   WHERE checked_at < clock_timestamp() - CASE WHEN is_urgent THEN :newestAgeMs ELSE :ageMs END::bigint * interval '1 millisecond'
)
SELECT dataset, account_id::text AS "accountId", period_start::text AS from, period_start::text AS to
  FROM due
 WHERE is_urgent OR rows_before < greatest(:minRows::bigint, (SELECT sum(rows) FROM known) * :share::double precision)
 ORDER BY is_urgent DESC, checked_at, dataset, account_id, period_start;

-- name: periods/find-places
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
 ORDER BY max(period_start) DESC, dataset, account_id;

-- name: periods/find-unlike
-- Periods whose number of rows in the table, over all slices, differs from what was published. Counting needs the primary key only, not the rows.
-- Params: :dataset, :accountId, :from and :to (first and last time_period_start). Result: period. Locks: none.
-- Not null: period.
SELECT period_start::text AS period
  FROM (SELECT p.period_start, sum(p.rows) AS rows
          FROM searchmill.published_periods p JOIN searchmill.slices s ON s.id = p.slice_id
         WHERE s.dataset = :dataset AND p.account_id = :accountId AND p.period_start BETWEEN :from AND :to
         GROUP BY p.period_start) expected
  FULL JOIN (SELECT t.time_period_start AS period_start, count(*) AS rows
               FROM {table} t
              WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :from AND :to
              GROUP BY t.time_period_start) found USING (period_start)
 WHERE coalesce(expected.rows, 0) <> coalesce(found.rows, 0)
 ORDER BY period_start;

-- name: periods/forget
-- Removes the expected rows of a slice, and of others of its job in its window, before a publication replaces all of them.
-- Params: :sliceId, :job, :accountId, :windowStart, :windowEnd. Locks: the rows it removes, until the transaction ends.
DELETE FROM searchmill.published_periods p
 WHERE p.slice_id = :sliceId
    OR (p.account_id = :accountId AND p.period_start BETWEEN :windowStart AND :windowEnd
        AND p.slice_id IN (SELECT id FROM searchmill.slices WHERE job = :job));

-- name: periods/note-checked
-- Records that the rows of a place were counted, and which slices differ from what was published.
-- Params: :dataset, :accountId, :from and :to (first and last time_period_start); :unlike, a JSON array of {slice, period, found}.
-- Locks: the rows it changes. Those that a publication holds are left for the next time.
WITH mine AS (
  SELECT p.slice_id, p.account_id, p.period_start
    FROM searchmill.published_periods p JOIN searchmill.slices s ON s.id = p.slice_id
   WHERE s.dataset = :dataset AND p.account_id = :accountId AND p.period_start BETWEEN :from AND :to
     FOR UPDATE OF p SKIP LOCKED
)
UPDATE searchmill.published_periods p
   SET checked_at = clock_timestamp(), found_rows = u.found,
       -- Another number of rows is another difference.
       differs_since = CASE WHEN u.found = p.found_rows THEN p.differs_since WHEN u.found IS NOT NULL THEN clock_timestamp() END
  FROM mine m
  LEFT JOIN jsonb_to_recordset(:unlike::jsonb) AS u (slice bigint, period date, found bigint) ON u.slice = m.slice_id AND u.period = m.period_start
 WHERE p.slice_id = m.slice_id AND p.account_id = m.account_id AND p.period_start = m.period_start;

-- name: periods/read-unlike
-- Weeks of configured jobs for which a running service has counted a number of rows in the table that differs from what was published.
-- Params: :job, or null for all. Result: job, weeks, first and last of them, expected and found rows, since and latest: when the
-- first and the last difference was found. Locks: none.
-- Not null: weeks, first, last, expected, found, since, latest.
SELECT job, count(DISTINCT week) AS weeks, min(week)::text AS first, max(week)::text AS last,
       sum(rows)::bigint AS expected, sum(found_rows)::bigint AS found, min(differs_since) AS since, max(differs_since) AS latest
  FROM (SELECT s.job, s.window_start + 7 * floor((p.period_start - s.window_start) / 7.0)::integer AS week, p.rows, p.found_rows, p.differs_since
          FROM searchmill.published_periods p
          JOIN searchmill.slices s ON s.id = p.slice_id
          JOIN searchmill.jobs j ON j.name = s.job AND j.removed_at IS NULL
         WHERE p.differs_since IS NOT NULL AND (:job::text IS NULL OR s.job = :job)) unlike
 GROUP BY job
 ORDER BY job;

-- name: periods/subtract
-- Takes rows from what the table must have of other slices, whose rows this publication or replay takes over or deletes.
-- Params: :periods, as of periods/add. Locks: the rows it changes, until the transaction ends.
UPDATE searchmill.published_periods p
   SET rows = p.rows - given.rows, digest = p.digest - given.digest
  FROM jsonb_to_recordset(:periods::jsonb) AS given (slice bigint, account bigint, period date, rows bigint, digest numeric)
 WHERE p.slice_id = given.slice AND p.account_id = given.account AND p.period_start = given.period;

-- name: periods/take-turn
-- Lets one process at a time find what is due for a comparison. Result: isMine, false while another does.
-- Locks: one advisory lock, until the transaction ends.
-- Not null: isMine.
SELECT pg_try_advisory_xact_lock(hashtext('searchmill verification'), 0) AS "isMine";
