-- Title: Devices, countries, engines, assistants, topics
-- Question: Where did the change come from?
-- Chart: table
-- Changes: contribution
-- Note: Of each column the lines add up to the change like for like.
-- Computed: The contributions of searches or prompts, summed by each of their columns, the largest first, in both directions. A prompt
--   stands where it is in the newer week.
-- Datasets: all
-- Variables: account, measure, keyword = all, persona, intent, prompt_group, prompt = all, web_property, engine, country, device,
--   keyword_group, assistant, branded, topics, weeks, compare, top_n, weighted, rank
-- Order: 30
WITH pair AS MATERIALIZED (
  SELECT p.*, CASE m.units WHEN 'searches' THEN '{device,country,engine,web_property_id}'
                           ELSE '{assistant,topic,country,intent,persona}' END::text[] AS columns
    FROM search_reports.measure_pair(:measure::text, :account::bigint, :weeks::text, :compare::text) AS p
    JOIN search_reports.measures() AS m ON m.name = :measure::text
), parts AS MATERIALIZED (
  SELECT k.number, k.name AS "column", c.*
    FROM pair p CROSS JOIN LATERAL unnest(p.columns) WITH ORDINALITY AS k (name, number)
   CROSS JOIN LATERAL search_reports.contributions(:measure::text, k.name, :choices, p.week, p.before, 10) AS c
   WHERE p.before IS NOT NULL
), rounded AS (
  SELECT number, search_reports.rounded_parts(array_agg(contribution ORDER BY place), 3) AS parts FROM parts GROUP BY number
)
SELECT replace(replace(c.column, '_id', ''), '_', ' ') AS "column", coalesce(n.web_property_name, c.line) AS line,
       r.parts[c.place] AS contribution, round(c.happened, 3) AS happened, round(c.by_weight, 3) AS by_weight, c.units,
       coalesce(p.reason, p.refusal) AS reason, p.notice
  FROM pair p LEFT JOIN parts c ON true LEFT JOIN rounded r ON r.number = c.number
  LEFT JOIN search_reports.web_properties n
         ON n.account_id = :account::bigint AND n.web_property_id::text = c.line AND c.column = 'web_property_id'
 ORDER BY c.number, c.place
