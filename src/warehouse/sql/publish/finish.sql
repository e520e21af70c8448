-- Marks the execution and its slice published and keeps the counts, in the transaction that changed the table.
-- States: staged -> published.
-- Params: :executionId, :leaseToken, rows :inserted, :updated, :unchanged, :deleted, :duplicates, :elapsedMs, :weekRows (rows in each
--         week of a window of several), :hasTaken (whether it took rows of other jobs).
-- No row: the lease was lost.
WITH done AS (
  UPDATE searchmill.executions
     SET state = 'published', state_since = clock_timestamp(), ended_at = clock_timestamp(), due_at = NULL,
         publish_ms = publish_ms + :elapsedMs, lease_owner = NULL, lease_until = NULL,
         deaths_in_row = 0, at_work_since = NULL, retrying_since = NULL
   WHERE id = :executionId AND lease_token = :leaseToken AND state = 'staged'
  RETURNING id, slice_id, filters_digest, rows_staged
), slice AS (
  UPDATE searchmill.slices s
     SET published_execution_id = done.id, published_at = clock_timestamp(), published_rows = done.rows_staged,
         published_week_rows = :weekRows, published_filters_digest = done.filters_digest,
         displaced_at = NULL, displaced_reason = NULL,
         displacements = CASE WHEN :hasTaken THEN s.displacements ELSE 0 END
    FROM done WHERE s.id = done.slice_id
)
INSERT INTO searchmill.publications (slice_id, execution_id, rows_inserted, rows_updated, rows_unchanged, rows_deleted, rows_duplicated)
SELECT slice_id, id, :inserted, :updated, :unchanged, :deleted, :duplicates FROM done
