-- Where the figures of boards come from.

CREATE OR REPLACE VIEW search_reports.sources WITH (security_barrier) AS
SELECT j.name AS job, j.dataset, j.account_id, j.filters, j.removed_at IS NULL AS is_configured, j.enabled AS is_enabled,
       max(s.published_at) AS published_at,
       max(s.window_start + (s.window_end - s.window_start) / 7 * 7) AS newest_week,
       -- If several windows cover a week, the last publication counts.
       CASE WHEN bool_or(s.published_filters_digest <> j.filters_digest) THEN (
         SELECT array_agg(w.week ORDER BY w.week) FILTER (WHERE w.published_filters_digest <> j.filters_digest)
           FROM (SELECT DISTINCT ON (week) o.window_start + 7 * n AS week, o.published_filters_digest
                   FROM searchmill.slices o CROSS JOIN LATERAL generate_series(0, (o.window_end - o.window_start) / 7) AS n
                  WHERE o.job = j.name AND o.published_at IS NOT NULL
                  ORDER BY week, o.published_at DESC) AS w)
       END AS weeks_of_other_filters
  FROM searchmill.jobs j LEFT JOIN searchmill.slices s ON s.job = j.name AND s.published_at IS NOT NULL
 WHERE (SELECT search_reports.sees_all_accounts()) OR j.account_id IN (SELECT account_id FROM search_reports.accounts_of_login)
 GROUP BY j.name
HAVING j.removed_at IS NULL OR max(s.published_at) IS NOT NULL;
COMMENT ON VIEW search_reports.sources IS 'Jobs that fill the tables or have filled them: what they ask for, and how recent their weeks '
  'are.';
COMMENT ON COLUMN search_reports.sources.job IS 'Job.';
COMMENT ON COLUMN search_reports.sources.dataset IS 'Dataset, and name of the table in schema search.';
COMMENT ON COLUMN search_reports.sources.filters IS 'What it asks for, as it is configured now.';
COMMENT ON COLUMN search_reports.sources.is_configured IS 'Whether it is configured now.';
COMMENT ON COLUMN search_reports.sources.is_enabled IS 'Whether its schedule loads it.';
COMMENT ON COLUMN search_reports.sources.published_at IS 'When it last published; NULL if never.';
COMMENT ON COLUMN search_reports.sources.newest_week IS 'First day of its newest published week.';
COMMENT ON COLUMN search_reports.sources.weeks_of_other_filters IS 'Weeks that were published with filters other than its current ones; '
  'NULL for none.';
