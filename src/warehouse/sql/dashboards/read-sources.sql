-- Jobs that fill the given datasets: their filters, how new their weeks are, and the weeks that were published with other filters.
-- Params: :datasets; :accountId, or null for all. Locks: none.
SELECT j.name AS job, j.dataset, j.account_id::text AS account, j.filters, j.removed_at IS NULL AS "isConfigured", j.enabled AS "isEnabled",
       max(s.published_at) AS "publishedAt",
       max(s.window_start + (s.window_end - s.window_start) / 7 * 7)::text AS "newestWeek",
       array_agg(s.window_start::text ORDER BY s.window_start) FILTER (WHERE s.published_filters_digest <> j.filters_digest)
         AS "weeksOfOtherFilters"
  FROM searchmill.jobs j LEFT JOIN searchmill.slices s ON s.job = j.name AND s.published_at IS NOT NULL
 WHERE j.dataset = ANY (:datasets::text[]) AND (:accountId::bigint IS NULL OR j.account_id = :accountId::bigint)
 GROUP BY j.name
HAVING j.removed_at IS NULL OR max(s.published_at) IS NOT NULL
 ORDER BY j.removed_at IS NOT NULL, j.dataset, j.name
