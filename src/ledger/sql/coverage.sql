-- Coverage: how each expected week of a job stands.

-- name: coverage/read
-- Coverage of one job or of all, unsorted: the caller sorts thousands of wide rows faster.
-- Params: :job, or null for all. Locks: none.
-- Not null: job, week, state, isExpected.
SELECT c.job, week::text AS week, state, is_expected AS "isExpected", c.published_at AS "publishedAt", coalesce(slice_rows, s.published_rows) AS "sliceRows",
       CASE WHEN s.window_end - s.window_start < 7 THEN s.published_rows ELSE s.published_week_rows[(week - s.window_start) / 7 + 1] END AS "weekRows",
       slice_id AS "sliceId", execution_id AS "executionId", execution_state AS "executionState", state_since AS "stateSince",
       due_at AS "dueAt", rows_received AS "rowsReceived", total_row_count::text AS "totalRowCount",
       c.published_filters_digest AS "publishedFiltersDigest", detail, paused_since AS "pausedSince"
  FROM searchmill.coverage c
  LEFT JOIN searchmill.slices s
    -- Rows of a week that is held by one slice may be there as published by another.
    ON s.id = CASE WHEN c.slice_rows IS NOT NULL OR c.published_at IS NULL THEN c.slice_id
                   ELSE (SELECT p.id FROM searchmill.slices p
                          WHERE p.job = c.job AND c.week BETWEEN p.window_start AND p.window_end AND p.published_execution_id IS NOT NULL
                          ORDER BY p.published_at DESC LIMIT 1) END
 WHERE :job::text IS NULL OR c.job = :job;

-- name: coverage/read-calendar
-- Coverage of some jobs from a week on, by job and week: what a calendar shows.
-- Params: :jobs, their names; :firstWeek. Locks: none.
-- Not null: job, week, state, isExpected.
SELECT job, week::text AS week, state, is_expected AS "isExpected", published_at AS "publishedAt", detail,
       paused_since AS "pausedSince"
  FROM searchmill.coverage
 WHERE job = ANY (:jobs::text[]) AND week >= :firstWeek::date AND (is_expected OR state NOT IN ('missing', 'expired'))
 ORDER BY job, week;

-- name: coverage/read-empty-weeks
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
 ORDER BY j.name;

-- name: coverage/read-week-groups
-- Coverage of one job or of all, with weeks joined if a report says the same about them. Params: :job, or null for all.
-- Result: job, state, isExpected, isPublished, failure (why it failed, or could not be read again; else null), filtersDigest,
--         cancellation (of missing weeks: why their last load was cancelled; else null), displacement (the same: who took rows of them after
--         they were published), weeks (how many), first, last,
--         publishedAt (the latest), stateSince (the earliest).
-- Locks: none.
-- Not null: job, state, isExpected, isPublished, weeks, first, last.
SELECT job, state, is_expected AS "isExpected", published_at IS NOT NULL AS "isPublished",
       CASE WHEN state = 'failed' OR (state = 'published' AND execution_state = 'failed')
            THEN coalesce(detail, 'no reason was recorded') END AS failure,
       published_filters_digest AS "filtersDigest",
       CASE WHEN state = 'missing' AND execution_state = 'cancelled' THEN detail END AS cancellation,
       CASE WHEN state = 'missing' AND execution_state = 'published' THEN detail END AS displacement,
       count(*)::integer AS weeks, min(week)::text AS first, max(week)::text AS last,
       max(published_at) AS "publishedAt", min(state_since) AS "stateSince"
  FROM searchmill.coverage
 WHERE :job::text IS NULL OR job = :job
 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
 ORDER BY job, first;
