-- Rows that joined a published slice after its publication.
-- Params: $1 execution, $2 rows, $3 of them inserted, $4 updated, the others were there; $5 rows of other jobs were deleted;
--         $6 rows in each week of the window.
WITH slice AS (
  UPDATE searchmill.slices
     SET published_rows = published_rows + $2,
         published_week_rows = CASE WHEN published_week_rows IS NOT NULL
                                    THEN (SELECT array_agg(before + added ORDER BY week)
                                            FROM unnest(published_week_rows, $6::bigint[]) WITH ORDINALITY AS w (before, added, week)) END
   WHERE published_execution_id = $1
)
UPDATE searchmill.publications
   SET rows_inserted = rows_inserted + $3, rows_updated = rows_updated + $4, rows_unchanged = rows_unchanged + ($2::bigint - $3 - $4),
       rows_deleted = rows_deleted + $5
 WHERE execution_id = $1
