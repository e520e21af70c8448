-- Title: From week to week
-- Question: What led from the figure of one week to that of the other?
-- Chart: bridge
-- X: step
-- Y: amount
-- Note: A share is in percent, its changes are in points. Each bar begins where the last one ended.
-- Computed: Both figures, and between them the keywords or prompts that add most to the change like for like (over the searches or prompts
--   that both weeks have), all others, and what searches or prompts add that only one of the weeks has. The parts add up to the
--   difference of the two figures. units is how many searches or prompts stand behind each. What happened are places, namings and
--   citations; other weights are volumes and numbers of answers.
-- Datasets: all
-- Variables: account, measure, keyword = all, persona, intent, prompt_group, prompt = all, web_property, engine, country, device,
--   keyword_group, assistant, branded, topics, weeks, compare, top_n, weighted, rank
-- Order: 10
WITH total AS MATERIALIZED (
  SELECT p.*, c.*, CASE m.units WHEN 'searches' THEN 'keyword' ELSE 'prompt' END AS by
    FROM search_reports.measure_pair(:measure::text, :account::bigint, :weeks::text, :compare::text) AS p
    JOIN search_reports.measures() AS m ON m.name = :measure::text
    LEFT JOIN LATERAL search_reports.changes(:measure::text, NULL, :choices, p.week, p.before) AS c ON p.before IS NOT NULL
), kept AS MATERIALIZED (
  SELECT c.* FROM total t
    JOIN LATERAL search_reports.contributions(:measure::text, t.by, :choices, t.week, t.before, 5) AS c ON t.before IS NOT NULL
), parts AS MATERIALIZED (
  SELECT place, line, contribution, units, 'like for like' AS kind FROM kept
   UNION ALL SELECT 101, 'Added', added, units - kept, 'added' FROM total
   UNION ALL SELECT 102, 'Dropped', dropped, units_before - kept, 'dropped' FROM total
), steps AS (
  SELECT p.place, p.line, r.parts[row_number() OVER (ORDER BY p.place)] AS amount, p.units, p.kind
    FROM parts p CROSS JOIN (SELECT search_reports.rounded_parts(array_agg(k.contribution ORDER BY k.place), 3,
         (SELECT round(t.level, 3) - round(t.level_before, 3) FROM total t)) AS parts FROM parts k) AS r
   UNION ALL SELECT 0, 'Week of ' || before, round(level_before, 3), units_before, 'level' FROM total
   UNION ALL SELECT 103, 'Week of ' || week, round(level, 3), units, 'level' FROM total
)
SELECT s.line AS step, s.amount, s.units, s.kind, t.reading, coalesce(t.reason, t.refusal) AS reason,
       concat_ws(' ', t.notice, replace('Like for like ' || to_char(t.like_for_like, 'FMSG999999990.000') || ': '
         || to_char((SELECT sum(happened) FROM kept), 'FMSG999999990.000') || ' by what happened, '
         || to_char((SELECT sum(by_weight) FROM kept), 'FMSG999999990.000') || ' by other weights.', '-', '−')) AS notice
  FROM total t LEFT JOIN steps s ON t.line IS NOT NULL
 ORDER BY s.place
