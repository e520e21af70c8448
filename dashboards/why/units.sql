-- Title: Keywords or prompts
-- Question: Which keywords or prompts make up the change?
-- Chart: table
-- Links: keyword = search, prompt
-- Changes: contribution
-- Note: The largest 30 in either direction; the last line is all others. All lines together are the change like for like.
-- Computed: What the searches for a keyword, or the prompts of one wording, add to the change like for like: by another share
--   (happened) and by another weight (by_weight).
-- Datasets: all
-- Variables: account, measure, keyword = all, persona, intent, prompt_group, prompt = all, web_property, engine, country, device,
--   keyword_group, assistant, branded, topics, weeks, compare, top_n, weighted, rank
-- Order: 20
WITH pair AS MATERIALIZED (
  SELECT p.*, m.units = 'searches' AS is_search
    FROM search_reports.measure_pair(:measure::text, :account::bigint, :weeks::text, :compare::text) AS p
    JOIN search_reports.measures() AS m ON m.name = :measure::text
), parts AS MATERIALIZED (
  SELECT c.*
    FROM pair p
   CROSS JOIN LATERAL search_reports.contributions(:measure::text, CASE WHEN p.is_search THEN 'keyword' ELSE 'prompt' END, :choices, p.week,
                                                   p.before, 30) AS c
   WHERE p.before IS NOT NULL
), rounded AS (
  SELECT search_reports.rounded_parts(array_agg(contribution ORDER BY place), 3) AS parts FROM parts
)
SELECT CASE WHEN p.is_search THEN c.line END AS keyword, CASE WHEN NOT p.is_search THEN c.line END AS prompt,
       r.parts[c.place] AS contribution, round(c.happened, 3) AS happened, round(c.by_weight, 3) AS by_weight, c.units,
       coalesce(p.reason, p.refusal) AS reason, p.notice
  FROM pair p CROSS JOIN rounded r LEFT JOIN parts c ON true
 ORDER BY c.place
