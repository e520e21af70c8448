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
 WHERE :job::text IS NULL OR c.job = :job
