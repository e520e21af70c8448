-- Title: What has happened
-- Question: What is worth a look?
-- Chart: table
-- Links: query = search, url = page, topic, site, assistant = ai-visibility, brand = ai-visibility, device = rankings, engine = rankings,
--   country = rankings
-- Leads: details, panel
-- Note: The newest week first, of each the rule with the weightiest. At most 500.
-- Empty: The rules have found nothing in weeks that they can compare.
-- Computed: What the rules in signals/ found in each week against the week before it, by the thresholds of jobs.config.yaml (signals). Weeks that are
--   missing, held, incomplete or being revised, or whose rows do not show it, have none.
-- Datasets: all
-- Variables: account, weeks
-- Order: 10
WITH span AS (
  SELECT n.newest, coalesce(p.since, n.newest - 7 * (p.most - 1), '-infinity') AS since, coalesce(p.until, 'infinity') AS until
    FROM (SELECT max(week) AS newest FROM search_reports.signal_rules WHERE account_id = :account::bigint) AS n
   CROSS JOIN LATERAL search_reports.span_of(:weeks::text, n.newest) AS p
), found AS (
  SELECT s.* FROM span p JOIN search_reports.signals s ON s.account_id = :account::bigint AND s.week BETWEEN p.since AND p.until
   ORDER BY s.week DESC, s.rule_place, s.place LIMIT 500
), heard AS (
  SELECT count(*) FILTER (WHERE r.silence IS NULL) AS rules
    FROM span p JOIN search_reports.signal_rules r ON r.account_id = :account::bigint AND r.week BETWEEN p.since AND p.until
)
SELECT f.week, f.title AS what, f.text AS details, f.about ->> 'query' AS query, f.about ->> 'site' AS site, f.about ->> 'url' AS url,
       f.about ->> 'topic' AS topic, f.about ->> 'assistant' AS assistant, f.about ->> 'brand' AS brand, f.about ->> 'device' AS device,
       f.about ->> 'engine' AS engine, f.about ->> 'country' AS country, f.about ->> 'panel' AS panel,
       CASE WHEN p.newest IS NULL THEN 'No rule has looked at the weeks of this account yet.'
            WHEN h.rules = 0 THEN 'No rule can say anything about these weeks: see Silent rules.' END AS reason
  FROM span p CROSS JOIN heard h LEFT JOIN found f ON true
 ORDER BY f.week DESC, f.rule_place, f.place
