-- Title: What is missing or held
-- Question: Which weeks are missing or incomplete, and why?
-- Chart: table
-- From: data-health/coverage
-- Empty: Every week is complete.
-- Computed: Weeks of a dataset without figures, which some jobs lack, or with rows of a job that was removed or is disabled, newest first; and the week from which no job expects a
--   dataset, while others continue.
-- Datasets: all
-- Variables: account, weeks
-- Order: 210
WITH weeks AS MATERIALIZED (
  SELECT dataset, week, state, reason, max(week) OVER () AS newest FROM search_reports.weeks WHERE account_id = :account::bigint
), told AS (
  SELECT * FROM weeks
   UNION ALL
  SELECT dataset, max(week) + 7, 'not expected',
         'no job expects this week, nor a later one: its job was removed, or expects it later', newest
    FROM weeks GROUP BY dataset, newest HAVING max(week) < newest
)
SELECT w.dataset, w.week, w.state, w.reason AS why
  FROM told w CROSS JOIN LATERAL search_reports.span_of(:weeks::text, w.newest) AS s
 WHERE (w.state <> 'published' OR w.reason IS NOT NULL)
   AND w.week BETWEEN coalesce(s.since, w.newest - 7 * (s.most - 1), '-infinity') AND coalesce(s.until, 'infinity')
 ORDER BY w.week DESC, w.dataset
