-- Writes down jobs as configured and the newest week expected of each.
-- Params: :jobs, a JSON array of name, dataset, connection, accountId, filters, filtersDigest, cron, timezone, since, lookbackWeeks,
--         keepWeeks or none (weeks before them are not expected), isEnabled, allowEmpty, and expectedThrough, the first day of the
--         newest expected week, or none.
-- Result: name, pausedSince (of the job or its connection, or null) and now, the time of the database, of each that was
--         written. A job under whose name another dataset or account was loaded is not written.
-- Locks: the jobs' rows, in the order of their names, until the transaction ends. So plannings of a job go one after another, and not
--         while it gets another name. For that, this comes first and always. Repeating refreshes them.
-- Not null: now.
INSERT INTO searchmill.jobs (name, dataset, connection, account_id, filters, filters_digest, cron, timezone, since,
                             expected_through, lookback_weeks, enabled, allow_empty, planned_at)
SELECT name, dataset, connection, "accountId", filters, "filtersDigest", cron, timezone,
       since + 7 * greatest((through - 7 * ("keepWeeks" - 1) - since + 6) / 7, 0),
       "expectedThrough",
       "lookbackWeeks", "isEnabled", "allowEmpty", clock_timestamp()
  FROM jsonb_to_recordset(:jobs) AS j (name text, dataset text, connection text, "accountId" bigint, filters jsonb, "filtersDigest" text,
                                    cron text, timezone text, since date, "expectedThrough" date, "lookbackWeeks" integer,
                                    "keepWeeks" integer, "isEnabled" boolean, "allowEmpty" boolean)
  CROSS JOIN LATERAL (SELECT greatest(j."expectedThrough", (SELECT k.expected_through FROM searchmill.jobs k WHERE k.name = j.name)) AS through) known
 ORDER BY name
ON CONFLICT (name) DO UPDATE
  SET dataset = excluded.dataset, connection = excluded.connection, account_id = excluded.account_id,
      filters = excluded.filters, filters_digest = excluded.filters_digest, cron = excluded.cron,
      timezone = excluded.timezone, since = excluded.since,
      expected_through = greatest(excluded.expected_through, jobs.expected_through),
      lookback_weeks = excluded.lookback_weeks, enabled = excluded.enabled, allow_empty = excluded.allow_empty,
      planned_at = clock_timestamp(), removed_at = NULL
  WHERE (jobs.dataset, jobs.account_id) = (excluded.dataset, excluded.account_id)
     OR NOT EXISTS (SELECT FROM searchmill.slices WHERE job = excluded.name)
RETURNING name, clock_timestamp() AS now,
          (SELECT min(p.paused_at) FROM searchmill.pauses p
            WHERE (p.kind, p.name) IN (('job', jobs.name), ('connection', jobs.connection))) AS "pausedSince"
