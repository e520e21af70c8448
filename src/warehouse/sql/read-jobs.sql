-- Jobs as the ledger knows them, configured ones first. Params: $1 job or null.
SELECT name, dataset, connection, account_id AS "accountId", cron, timezone, since::text AS since,
       expected_through::text AS "expectedThrough", lookback_weeks AS "lookbackWeeks", filters_digest AS "filtersDigest",
       planned_at AS "plannedAt", removed_at AS "removedAt"
  FROM searchmill.jobs
 WHERE $1::text IS NULL OR name = $1
 ORDER BY removed_at NULLS FIRST, name
