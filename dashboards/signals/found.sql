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
WITH rules AS MATERIALIZED (
  SELECT r.week, r.silence, r.week >= coalesce(p.since, r.newest - 7 * (p.most - 1), '-infinity')
                            AND r.week <= coalesce(p.until, 'infinity') AS is_shown
    FROM (SELECT *, max(week) OVER () AS newest FROM search_reports.signal_rules WHERE account_id = :account::bigint) AS r
   CROSS JOIN LATERAL search_reports.span_of(:weeks::text, r.newest) AS p
), found AS (
  SELECT * FROM search_reports.signals WHERE account_id = :account::bigint AND week IN (SELECT week FROM rules WHERE is_shown)
   ORDER BY week DESC, rule_place, place LIMIT 500
)
SELECT f.week, f.title AS what, f.text AS details, f.about ->> 'query' AS query, f.about ->> 'site' AS site, f.about ->> 'url' AS url,
       f.about ->> 'topic' AS topic, f.about ->> 'assistant' AS assistant, f.about ->> 'brand' AS brand, f.about ->> 'device' AS device,
       f.about ->> 'engine' AS engine, f.about ->> 'country' AS country, f.about ->> 'panel' AS panel,
       CASE WHEN n.looks = 0 THEN 'No rule has looked at the weeks of this account yet.'
            WHEN n.heard = 0 THEN 'No rule can say anything about these weeks: see Silent rules.' END AS reason
  FROM (SELECT count(*) AS looks, count(*) FILTER (WHERE is_shown AND silence IS NULL) AS heard FROM rules) AS n
  LEFT JOIN found f ON true
 ORDER BY f.week DESC, f.rule_place, f.place
