-- Rows that joined a published slice after its publication.
-- Params: :executionId, :rows, of them :inserted and :updated (the others were there), :deleted rows of other jobs, :weekRows (rows in
--         each week of the window).
WITH slice AS (
  UPDATE searchmill.slices
     SET published_rows = published_rows + :rows,
         published_week_rows = CASE WHEN published_week_rows IS NOT NULL
                                    THEN (SELECT array_agg(before + added ORDER BY week)
                                            FROM unnest(published_week_rows, :weekRows::bigint[]) WITH ORDINALITY AS w (before, added, week)) END
   WHERE published_execution_id = :executionId
)
UPDATE searchmill.publications
   SET rows_inserted = rows_inserted + :inserted, rows_updated = rows_updated + :updated, rows_unchanged = rows_unchanged + (:rows::bigint - :inserted - :updated),
       rows_deleted = rows_deleted + :deleted
 WHERE execution_id = :executionId
