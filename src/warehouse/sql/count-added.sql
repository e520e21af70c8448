-- Rows that joined a published slice after its publication. Params: $1 execution, $2 rows.
WITH slice AS (
  UPDATE searchmill.slices SET published_rows = published_rows + $2 WHERE published_execution_id = $1
)
UPDATE searchmill.publications SET rows_inserted = rows_inserted + $2 WHERE execution_id = $1
