-- Title: Coverage calendar
-- Question: Which weeks of each job are loaded, and which are not?
-- Chart: calendar
-- X: week
-- Y: state
-- Series: job
-- Note: P published, R running, H held for a decision, F failed, M missing; an empty field is a week that is not expected.
-- Computed: The state of each week of each job. The newest week of any job is the last column.
-- Datasets: all
-- Variables: weeks
-- Order: 10
SELECT c.job, c.week, c.state, c.published_at,
       concat_ws('; ', CASE WHEN c.paused_since IS NOT NULL AND c.state <> 'published' THEN 'paused' END, c.detail) AS reason
  FROM (SELECT max(week) AS week FROM searchmill.coverage) AS n
 CROSS JOIN LATERAL search_reports.span_of(:weeks::text, n.week) AS s
  JOIN searchmill.coverage c ON c.week BETWEEN coalesce(s.since, n.week - 7 * (s.most - 1), '-infinity') AND coalesce(s.until, n.week)
 WHERE c.is_expected OR c.published_at IS NOT NULL
 ORDER BY c.job, c.week
