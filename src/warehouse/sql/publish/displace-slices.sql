-- Slices of configured jobs that lose rows to a publication or a replay are not published any more as they were asked for, so their weeks are
-- missing and are planned again. Slices with a question other than the current one of their job stay as they are: they are known to be outdated.
-- Params: :periods, the rows as of periods/subtract; :job that takes them. Locks: the rows of the slices, until the transaction ends.
UPDATE searchmill.slices s
   SET published_execution_id = NULL, published_at = NULL, published_filters_digest = NULL, published_week_rows = NULL,
       published_rows = s.published_rows - taken.rows, displaced_at = clock_timestamp(),
       displacements = s.displacements + 1,
       displaced_reason = format('a load of job %s took %s of its %s rows', :job::text, taken.rows, s.published_rows)
  FROM (SELECT slice, sum(rows)::bigint AS rows FROM jsonb_to_recordset(:periods::jsonb) AS given (slice bigint, rows bigint) GROUP BY 1) taken,
       searchmill.jobs j
 WHERE s.id = taken.slice AND j.name = s.job AND j.removed_at IS NULL AND s.published_filters_digest = j.filters_digest
