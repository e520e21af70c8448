-- Title: Groups
-- Question: Which keyword groups or prompt groups does the change come from?
-- Chart: table
-- Changes: contribution
-- Note: Groups overlap: a search or prompt counts in each of its groups, so these lines have no sum.
-- Computed: The contributions of searches or prompts, summed by group, the largest first, in both directions.
-- Datasets: all
-- Variables: account, measure, keyword = all, persona, intent, prompt_group, prompt = all, web_property, engine, country, device,
--   keyword_group, assistant, branded, topics, weeks, compare, top_n, weighted, rank
-- Order: 40
SELECT c.line AS "group", round(c.contribution, 3) AS contribution, round(c.happened, 3) AS happened, round(c.by_weight, 3) AS by_weight,
       c.units, coalesce(p.reason, p.refusal) AS reason, p.notice
  FROM search_reports.measure_pair(:measure::text, :account::bigint, :weeks::text, :compare::text) AS p
  JOIN search_reports.measures() AS m ON m.name = :measure::text
  LEFT JOIN LATERAL search_reports.contributions(:measure::text, CASE m.units WHEN 'searches' THEN 'keyword_group' ELSE 'prompt_group' END,
                                                 :choices, p.week, p.before, 20) AS c ON p.before IS NOT NULL
 ORDER BY c.place
