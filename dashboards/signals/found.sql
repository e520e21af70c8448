-- Title: What has happened
-- Question: What is worth a look?
-- Chart: table
-- Links: query = search, url = page, topic, site, assistant = ai-visibility, brand = ai-visibility
-- Leads: details, panel
-- Note: The newest week first. For each rule and week the three with the most weight, and the number of others.
-- Empty: The rules have found nothing in weeks that they can compare.
-- Computed: What the rules in signals/ found in each week against the week before it, by the thresholds of jobs.config.yaml (signals). Weeks that are
--   missing, held, incomplete, being revised or of another question have none.
-- Datasets: all
-- Variables: account, weeks
-- Order: 10
WITH looks AS (
  SELECT max(week) AS newest FROM search_reports.signal_rules WHERE account_id = :account::bigint
), found AS (
  SELECT s.*, count(*) OVER (PARTITION BY s.week, s.rule) AS amount
    FROM search_reports.signals s CROSS JOIN looks l CROSS JOIN LATERAL search_reports.span_of(:weeks::text, l.newest) AS p
   WHERE s.account_id = :account::bigint AND s.week >= coalesce(p.since, l.newest - 7 * (p.most - 1), '-infinity') AND s.week <= coalesce(p.until, 'infinity')
), silence AS (
  SELECT count(*) AS looks, count(r.silence) AS silent
    FROM search_reports.signal_rules r CROSS JOIN looks l CROSS JOIN LATERAL search_reports.span_of(:weeks::text, l.newest) AS p
   WHERE r.account_id = :account::bigint AND r.week >= coalesce(p.since, l.newest - 7 * (p.most - 1), '-infinity') AND r.week <= coalesce(p.until, 'infinity')
), lines AS (
  SELECT week, rule_place, place, title, text, about FROM found WHERE place <= 3
   UNION ALL
  SELECT week, rule_place, 4, title, format('and %s more', amount - 3), '{}' FROM found WHERE place = 4
)
SELECT l.week, l.title AS what, l.text AS details, l.about ->> 'query' AS query, l.about ->> 'site' AS site, l.about ->> 'url' AS url,
       l.about ->> 'topic' AS topic, l.about ->> 'assistant' AS assistant, l.about ->> 'brand' AS brand, l.about ->> 'panel' AS panel,
       CASE WHEN n.newest IS NULL THEN 'No rule has looked at the weeks of this account yet.'
            WHEN s.silent = s.looks THEN 'No rule can say anything about these weeks: see Silent rules.' END AS reason
  FROM looks n CROSS JOIN silence s LEFT JOIN lines l ON true
 ORDER BY l.week DESC, l.rule_place, l.place
