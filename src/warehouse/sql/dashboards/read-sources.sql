-- Jobs that fill the given datasets: their filters, how new their weeks are, and the weeks that were published with other filters.
-- Params: :datasets; :accountId, or null for all. Locks: none.
-- Not null: job, dataset, account, isConfigured, isEnabled.
SELECT job, dataset, account_id::text AS account, filters, is_configured AS "isConfigured", is_enabled AS "isEnabled", published_at AS "publishedAt",
       newest_week::text AS "newestWeek", weeks_of_other_filters::text[] AS "weeksOfOtherFilters"
  FROM search_reports.sources
 WHERE dataset = ANY (:datasets::text[]) AND (:accountId::bigint IS NULL OR account_id = :accountId::bigint)
 ORDER BY NOT is_configured, dataset, job
