-- Jobs that fill the given datasets: their filters, how new their weeks are, and the weeks that were published with other filters.
-- Params: :datasets; :accountId, or null for all. Locks: none.
SELECT j.name AS job, j.dataset, j.account_id::text AS account, j.filters, j.removed_at IS NULL AS "isConfigured", j.enabled AS "isEnabled",
       max(s.published_at) AS "publishedAt",
       max(s.window_start + (s.window_end - s.window_start) / 7 * 7)::text AS "newestWeek",
       -- Of a week that several windows hold, the last publication counts.
       CASE WHEN bool_or(s.published_filters_digest <> j.filters_digest) THEN (
         SELECT array_agg(w.week::text ORDER BY w.week) FILTER (WHERE w.published_filters_digest <> j.filters_digest)
           FROM (SELECT DISTINCT ON (week) o.window_start + 7 * n AS week, o.published_filters_digest
                   FROM searchmill.slices o CROSS JOIN LATERAL generate_series(0, (o.window_end - o.window_start) / 7) AS n
                  WHERE o.job = j.name AND o.published_at IS NOT NULL
                  ORDER BY week, o.published_at DESC) AS w)
       END AS "weeksOfOtherFilters"
  FROM searchmill.jobs j LEFT JOIN searchmill.slices s ON s.job = j.name AND s.published_at IS NOT NULL
 WHERE j.dataset = ANY (:datasets::text[]) AND (:accountId::bigint IS NULL OR j.account_id = :accountId::bigint)
 GROUP BY j.name
HAVING j.removed_at IS NULL OR max(s.published_at) IS NOT NULL
 ORDER BY j.removed_at IS NOT NULL, j.dataset, j.name
