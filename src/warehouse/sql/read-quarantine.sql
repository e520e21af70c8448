-- Rows of an execution that are in quarantine, in the order they came. Params: $1 execution, $2 most rows, $3 rows to skip.
SELECT page, position, column_name AS "column", reason, schema_names AS "schemaNames", raw
  FROM searchmill.quarantined_rows
 WHERE execution_id = $1 AND replayed_at IS NULL
 ORDER BY page, position
 LIMIT $2 OFFSET $3
