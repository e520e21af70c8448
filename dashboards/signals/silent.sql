-- Title: Silent rules
-- Question: Which rules are silent about which weeks, and why?
-- Chart: table
-- Note: The newest week first.
-- Empty: No rule is silent about any week.
-- Computed: Rules whose week, or the week before it, is missing, held, incomplete or being revised, or does not show what the rule looks at.
-- Datasets: all
-- Variables: account, weeks
-- Order: 20
SELECT r.week, r.title AS what, r.silence AS why,
       CASE WHEN n.newest IS NULL THEN 'No rule has looked at the weeks of this account yet.' END AS reason
  FROM (SELECT max(week) AS newest FROM search_reports.signal_rules WHERE account_id = :account::bigint) AS n
 CROSS JOIN LATERAL search_reports.span_of(:weeks::text, n.newest) AS p
  LEFT JOIN search_reports.signal_rules r ON r.account_id = :account::bigint AND r.silence IS NOT NULL
        AND r.week BETWEEN coalesce(p.since, n.newest - 7 * (p.most - 1), '-infinity') AND coalesce(p.until, 'infinity')
 ORDER BY r.week DESC, r.place
