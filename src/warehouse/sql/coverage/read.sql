-- Coverage of one job or of all, in no order: thousands of wide rows are put in order faster by who reads them.
-- Params: :job, or null for all. Locks: none.
SELECT job, week::text AS week, state, is_expected AS "isExpected", published_at AS "publishedAt", slice_rows AS "sliceRows",
       slice_id AS "sliceId", execution_id AS "executionId", execution_state AS "executionState", state_since AS "stateSince",
       due_at AS "dueAt", rows_received AS "rowsReceived", total_row_count::text AS "totalRowCount",
       published_filters_digest AS "publishedFiltersDigest", detail, paused_since AS "pausedSince"
  FROM searchmill.coverage
 WHERE :job::text IS NULL OR job = :job
