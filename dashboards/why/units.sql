-- Title: Keywords or prompts
-- Question: Which keywords or prompts make up the change?
-- Chart: table
-- Links: keyword = search, prompt
-- Changes: contribution
-- Note: The largest 30 of both weeks in either direction, then 15 added and 15 dropped, each with a line for all others. The lines of both
--   weeks together are the change like for like; all lines are the difference of the two figures.
-- Computed: What the searches for a keyword, or the prompts of one wording, add to the change like for like: by another share
--   (happened) and by another weight (by_weight). One that only one of the weeks has adds by how much its share differs from that of those
--   that both have.
-- Datasets: all
-- Variables: account, measure, keyword = all, persona, intent, prompt_group, prompt = all, web_property, engine, country, device,
--   keyword_group, assistant, branded, topics, weeks, compare, top_n, weighted, rank
-- Order: 20
WITH pair AS MATERIALIZED (
  SELECT p.*, CASE m.units WHEN 'searches' THEN 'keyword' ELSE 'prompt' END AS by
    FROM search_reports.measure_pair(:measure::text, :account::bigint, :weeks::text, :compare::text) AS p
    JOIN search_reports.measures() AS m ON m.name = :measure::text
), parts AS MATERIALIZED (
  SELECT 'both weeks' AS kind, c.* FROM pair p
    JOIN LATERAL search_reports.contributions(:measure::text, p.by, :choices, p.week, p.before, 30) AS c ON p.before IS NOT NULL
   UNION ALL
  SELECT x.kind, x.place, x.line, x.contribution, NULL, NULL, x.units FROM pair p
    JOIN LATERAL search_reports.exchanged(:measure::text, :choices, p.week, p.before, 15) AS x ON p.before IS NOT NULL
), rounded AS (
  SELECT kind, search_reports.rounded_parts(array_agg(contribution ORDER BY place), 3) AS parts FROM parts GROUP BY kind
)
SELECT CASE p.by WHEN 'keyword' THEN c.line END AS keyword, CASE p.by WHEN 'prompt' THEN c.line END AS prompt, c.kind AS "in",
       r.parts[c.place] AS contribution, round(c.happened, 3) AS happened, round(c.by_weight, 3) AS by_weight, c.units,
       coalesce(p.reason, p.refusal) AS reason, p.notice
  FROM pair p LEFT JOIN parts c ON true LEFT JOIN rounded r ON r.kind = c.kind
 ORDER BY array_position(ARRAY['both weeks', 'added', 'dropped'], c.kind), c.place
