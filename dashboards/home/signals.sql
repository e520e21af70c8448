-- Title: Worth a look
-- Question: What have the rules found in the newest week?
-- Chart: table
-- Headline: what, details
-- Links: query = search, url = page, topic, site, assistant = ai-visibility, brand = ai-visibility, device = rankings, engine = rankings,
--   country = rankings
-- Leads: details, panel
-- Empty: The rules have found nothing in the newest week that they can compare.
-- Computed: What the rules in signals/ found in the newest week against the week before it, by the thresholds of jobs.config.yaml (signals). For each rule
--   the three with the most weight, and the number of others; the rule with the weightiest comes first. The board Signals has all of them, the weeks before,
--   and which rules are silent.
-- Datasets: all
-- Variables: account, weeks
-- Order: 100
WITH looks AS (
  SELECT max(week) AS newest, count(*) AS rules, count(silence) AS silent
    FROM (SELECT r.*, rank() OVER (ORDER BY r.week DESC) AS age
            FROM search_reports.signal_rules r CROSS JOIN LATERAL search_reports.span_of(:weeks::text, NULL) AS p
           WHERE r.account_id = :account::bigint AND r.week <= coalesce(p.until, 'infinity')) AS r
   WHERE age = 1
), found AS (
  SELECT s.*, count(*) OVER (PARTITION BY s.rule) AS amount
    FROM search_reports.signals s JOIN looks l ON s.week = l.newest
   WHERE s.account_id = :account::bigint
), lines AS (
  SELECT rule_place, place, title, text, about FROM found WHERE place <= 3
   UNION ALL
  SELECT rule_place, 4, title, format('and %s more', amount - 3), '{"panel": "signals/found"}' FROM found WHERE place = 4
)
SELECT l.title AS what, l.text AS details, l.about ->> 'query' AS query, l.about ->> 'site' AS site, l.about ->> 'url' AS url,
       l.about ->> 'topic' AS topic, l.about ->> 'assistant' AS assistant, l.about ->> 'brand' AS brand, l.about ->> 'device' AS device,
       l.about ->> 'engine' AS engine, l.about ->> 'country' AS country, l.about ->> 'panel' AS panel,
       CASE WHEN l.title IS NOT NULL THEN n.newest END AS week,
       CASE WHEN n.newest IS NULL THEN 'No rule has looked at these weeks of this account yet.'
            WHEN n.silent = n.rules THEN format('No rule can say anything of the week of %s: the board Signals says why.', n.newest) END AS reason,
       CASE WHEN n.silent BETWEEN 1 AND n.rules - 1 THEN format('%s of %s rules can say nothing of the week of %s: the board Signals says why.', n.silent,
                                                                n.rules, n.newest) END AS notice
  FROM looks n LEFT JOIN lines l ON true
 ORDER BY l.rule_place, l.place
