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
WITH pair AS MATERIALIZED (
  SELECT p.*, CASE m.units WHEN 'searches' THEN 'keyword' ELSE 'prompt' END AS by
    FROM search_reports.measure_pair(:measure::text, :account::bigint, :weeks::text, :compare::text) AS p
    JOIN search_reports.measures() AS m ON m.name = :measure::text
), total AS MATERIALIZED (
  SELECT c.* FROM pair p JOIN LATERAL search_reports.changes(:measure::text, NULL, :choices, p.week, p.before) AS c ON p.before IS NOT NULL
), kept AS MATERIALIZED (
  SELECT c.* FROM pair p
    JOIN LATERAL search_reports.contributions(:measure::text, p.by, :choices, p.week, p.before, 5) AS c ON p.before IS NOT NULL
), parts AS MATERIALIZED (
  SELECT place, line, contribution, units, 'like for like' AS kind FROM kept
   UNION ALL SELECT 101, 'Added', added, units - kept, 'added' FROM total
   UNION ALL SELECT 102, 'Dropped', dropped, units_before - kept, 'dropped' FROM total
), rounded AS (
  SELECT search_reports.rounded_parts(array_agg(contribution ORDER BY place), 3,
                                      (SELECT round(level, 3) - round(level_before, 3) FROM total)) AS parts FROM parts
), steps AS (
  SELECT x.place, x.line, r.parts[row_number() OVER (ORDER BY x.place)] AS amount, x.units, x.kind FROM parts x CROSS JOIN rounded r
   UNION ALL SELECT 0, 'Week of ' || p.before, round(t.level_before, 3), t.units_before, 'level' FROM total t CROSS JOIN pair p
   UNION ALL SELECT 103, 'Week of ' || p.week, round(t.level, 3), t.units, 'level' FROM total t CROSS JOIN pair p
)
SELECT s.line AS step, s.amount, s.units, s.kind, t.reading, coalesce(p.reason, p.refusal) AS reason,
       concat_ws(' ', p.notice, replace('Like for like ' || to_char(t.like_for_like, 'FMSG999999990.000') || ': '
         || to_char(w.happened, 'FMSG999999990.000') || ' by what happened, '
         || to_char(w.by_weight, 'FMSG999999990.000') || ' by other weights.', '-', '−')) AS notice
  FROM pair p LEFT JOIN total t ON true LEFT JOIN steps s ON t.line IS NOT NULL
 CROSS JOIN (SELECT sum(happened) AS happened, sum(by_weight) AS by_weight FROM kept) AS w
 ORDER BY s.place
