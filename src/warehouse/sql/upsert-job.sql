-- Writes down a job as configured and the newest week expected of it.
-- Params: $1 name, $2 dataset, $3 connection, $4 account, $5 filters, $6 filters digest, $7 cron, $8 time zone, $9 since,
--         $10 first day of the newest expected week or null, $11 lookback weeks.
-- Result: now, the time of the database. No row: under this name another dataset or account was loaded. Repeating refreshes it.
-- Locks: the job's row, until the transaction ends. That lets plannings of a job go one after another, and not while its
-- slices are adopted; so it is written first, and always.
INSERT INTO searchmill.jobs (name, dataset, connection, account_id, filters, filters_digest, cron, timezone, since,
                             expected_through, lookback_weeks, planned_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp())
ON CONFLICT (name) DO UPDATE
  SET dataset = excluded.dataset, connection = excluded.connection, account_id = excluded.account_id,
      filters = excluded.filters, filters_digest = excluded.filters_digest, cron = excluded.cron,
      timezone = excluded.timezone, since = excluded.since,
      expected_through = greatest(excluded.expected_through, jobs.expected_through),
      lookback_weeks = excluded.lookback_weeks, planned_at = clock_timestamp(), removed_at = NULL
  WHERE (jobs.dataset, jobs.account_id) = (excluded.dataset, excluded.account_id)
     OR NOT EXISTS (SELECT FROM searchmill.slices WHERE job = excluded.name)
RETURNING clock_timestamp() AS now
