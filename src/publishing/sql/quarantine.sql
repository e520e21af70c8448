-- Quarantined rows: those that could not be decoded.

-- name: quarantine/insert
-- Keeps rows that did not decode. Part of the page's transaction.
-- Params: :executionId, :page, :schemaNames (the columns of the page); lists with an entry for each row: :positions, :columns,
--         :reasons, :raw.
INSERT INTO searchmill.quarantined_rows (execution_id, page, position, column_name, reason, raw, schema_names)
SELECT :executionId, :page, r.position, r.column_name, r.reason, r.raw, :schemaNames::text[]
  FROM unnest(:positions::integer[], :columns::text[], :reasons::text[], :raw::text[]) AS r (position, column_name, reason, raw);

-- name: quarantine/list
-- Rows in quarantine by execution, for executions that still matter: published, held and running ones.
-- Params: :job, or null for all. Locks: none.
-- Not null: rows, columns, exampleReason, windowStart, windowEnd, latest.
SELECT e.id AS "executionId", s.id AS "sliceId", s.job, s.dataset, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd",
       e.state, count(*) AS rows, e.rows_received AS "rowsReceived",
       array_agg(DISTINCT coalesce(q.column_name, '(row)')) AS columns, min(q.reason) AS "exampleReason",
       coalesce(e.ended_at, clock_timestamp()) AS latest
  FROM searchmill.quarantined_rows q
  JOIN searchmill.executions e ON e.id = q.execution_id
  JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE q.replayed_at IS NULL AND (:job::text IS NULL OR s.job = :job)
   AND (e.ended_at IS NULL OR s.published_execution_id = e.id)
 GROUP BY e.id, s.id
 ORDER BY s.job, s.window_start, e.id;

-- name: quarantine/read
-- Rows of an execution that are in quarantine, in the order they came, from behind a page and position on.
-- Params: :executionId, :maxRows, :afterPage, :afterPosition. Locks: none.
SELECT page, position, column_name AS "column", reason, schema_names AS "schemaNames", raw
  FROM searchmill.quarantined_rows
 WHERE execution_id = :executionId AND replayed_at IS NULL AND (page, position) > (:afterPage, :afterPosition)
 ORDER BY page, position
 LIMIT :maxRows;
