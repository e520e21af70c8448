-- Marks the execution and its slice published and keeps the counts, in the transaction that changed the table.
-- Params: $1 execution, $2 token, $3 inserted, $4 updated, $5 unchanged, $6 deleted, $7 duplicates, $8 ms spent,
--         $9 rows in each week of a window of several.
-- No row: the lease was lost.
WITH done AS (
  UPDATE searchmill.executions
     SET state = 'published', state_since = clock_timestamp(), ended_at = clock_timestamp(), due_at = NULL,
         publish_ms = publish_ms + $8, lease_owner = NULL, lease_until = NULL,
         deaths_in_row = 0, at_work_since = NULL, retrying_since = NULL
   WHERE id = $1 AND lease_token = $2 AND state = 'staged'
  RETURNING id, slice_id, filters_digest, rows_staged
), slice AS (
  UPDATE searchmill.slices s
     SET published_execution_id = done.id, published_at = clock_timestamp(), published_rows = done.rows_staged,
         published_week_rows = $9, published_filters_digest = done.filters_digest
    FROM done WHERE s.id = done.slice_id
)
INSERT INTO searchmill.publications (slice_id, execution_id, rows_inserted, rows_updated, rows_unchanged, rows_deleted, rows_duplicated)
SELECT slice_id, id, $3, $4, $5, $6, $7 FROM done
