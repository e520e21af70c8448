-- Title: Silent rules
-- Question: Which rules are silent about which weeks, and why?
-- Chart: table
-- Note: The newest week first.
-- Empty: No rule is silent about any week.
-- Computed: Rules whose week, or the week before it, is missing, held, incomplete or being revised, or does not show what the rule looks at.
-- Datasets: all
-- Variables: account, weeks
-- Order: 20
WITH silent AS (
  SELECT r.week, r.title AS what, r.silence AS why, r.place
    FROM (SELECT *, max(week) OVER () AS newest FROM search_reports.signal_rules WHERE account_id = :account::bigint) AS r
   CROSS JOIN LATERAL search_reports.span_of(:weeks::text, r.newest) AS p
   WHERE r.silence IS NOT NULL
     AND r.week >= coalesce(p.since, r.newest - 7 * (p.most - 1), '-infinity') AND r.week <= coalesce(p.until, 'infinity')
)
SELECT s.week, s.what, s.why, CASE WHEN NOT k.has_looked THEN 'No rule has looked at the weeks of this account yet.' END AS reason
  FROM (SELECT EXISTS (SELECT FROM search_reports.signal_rules WHERE account_id = :account::bigint) AS has_looked) AS k LEFT JOIN silent s ON true
 ORDER BY s.week DESC, s.place
