-- Jobs as the ledger knows them, configured ones first. Params: :job, or null for all. Locks: none.
-- Not null: name, dataset, connection, accountId, cron, timezone, since, lookbackWeeks, isEnabled, filtersDigest.
SELECT j.name, dataset, connection, account_id AS "accountId", cron, timezone, since::text AS since,
       expected_through::text AS "expectedThrough", lookback_weeks AS "lookbackWeeks", filters_digest AS "filtersDigest",
       planned_at AS "plannedAt", removed_at AS "removedAt", enabled AS "isEnabled", p.paused_at AS "pausedSince",
       p.reason AS "pauseReason"
  FROM searchmill.jobs j LEFT JOIN searchmill.pauses p ON p.kind = 'job' AND p.name = j.name
 WHERE :job::text IS NULL OR j.name = :job
 ORDER BY removed_at NULLS FIRST, j.name
