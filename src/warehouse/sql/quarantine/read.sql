-- Rows of an execution that are in quarantine, in the order they came, from behind a page and position on.
-- Params: :executionId, :maxRows, :afterPage, :afterPosition. Locks: none.
SELECT page, position, column_name AS "column", reason, schema_names AS "schemaNames", raw
  FROM searchmill.quarantined_rows
 WHERE execution_id = :executionId AND replayed_at IS NULL AND (page, position) > (:afterPage, :afterPosition)
 ORDER BY page, position
 LIMIT :maxRows
