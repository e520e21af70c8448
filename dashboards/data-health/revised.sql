-- Title: What the service revised
-- Question: How many published rows did the service change later?
-- Chart: stacked
-- X: day
-- Y: inserted, updated, deleted
-- Unit: rows
-- Note: Days on which no publication changed anything are left out.
-- Empty: No published rows have changed.
-- Computed: Rows that publications inserted, updated and deleted in weeks that their job had published before, by day (UTC).
-- Datasets: all
-- Variables: weeks
-- Order: 40
SELECT p.published_at::date AS day, sum(p.rows_inserted)::bigint AS inserted, sum(p.rows_updated)::bigint AS updated,
       sum(p.rows_deleted)::bigint AS deleted, count(*) AS publications
  FROM searchmill.publications p CROSS JOIN search_reports.span_of(:weeks::text, current_date) AS s
 WHERE p.published_at > coalesce(s.since, now() - make_interval(weeks => s.most), '-infinity')
   AND (s.until IS NULL OR p.published_at < s.until + 7) AND p.rows_inserted + p.rows_updated + p.rows_deleted > 0
   AND EXISTS (SELECT FROM searchmill.week_changes c WHERE c.publication_id = p.id AND c.kind = 'revised')
 GROUP BY 1
 ORDER BY 1
