-- Rows of an execution that are in quarantine, in the order they came, from behind a page and position on.
-- Params: $1 execution, $2 most rows, $3 page, $4 position.
SELECT page, position, column_name AS "column", reason, schema_names AS "schemaNames", raw
  FROM searchmill.quarantined_rows
 WHERE execution_id = $1 AND replayed_at IS NULL AND (page, position) > ($3, $4)
 ORDER BY page, position
 LIMIT $2
