-- Title: From week to week
-- Question: What led from the figure of one week to that of the other?
-- Chart: bar
-- X: step
-- Y: amount
-- Note: A share is in percent, its changes are in points.
-- Computed: Both figures, and the change like for like (over the searches or prompts that both weeks have), split into what happened
--   (places, namings, citations) and other weights (volumes, numbers of answers), and what searches or prompts add that only one of the
--   weeks has. The parts add up to the difference of the two figures. units is how many searches or prompts stand behind each.
-- Datasets: all
-- Variables: account, measure, keyword = all, persona, intent, prompt_group, prompt = all, web_property, engine, country, device,
--   keyword_group, assistant, branded, topics, weeks, compare, top_n, weighted, rank
-- Order: 10
SELECT s.step, s.amount, s.units, c.reading, coalesce(p.reason, p.refusal) AS reason, p.notice
  FROM search_reports.measure_pair(:measure::text, :account::bigint, :weeks::text, :compare::text) AS p
  LEFT JOIN LATERAL search_reports.changes(:measure::text, NULL, :choices, p.week, p.before) AS c ON p.before IS NOT NULL
  LEFT JOIN LATERAL search_reports.rounded_parts(ARRAY[c.happened, c.by_weight, c.added, c.dropped], 3,
                                                 round(c.level, 3) - round(c.level_before, 3)) AS r (parts) ON true
  LEFT JOIN LATERAL (VALUES (1, format('Week of %s', p.before), round(c.level_before, 3), c.units_before),
                            (2, 'What happened', r.parts[1], c.kept), (3, 'Other weights', r.parts[2], c.kept),
                            (4, 'Added', r.parts[3], c.units - c.kept), (5, 'Dropped', r.parts[4], c.units_before - c.kept),
                            (6, format('Week of %s', p.week), round(c.level, 3), c.units))
         AS s (place, step, amount, units) ON c.line IS NOT NULL
 ORDER BY s.place
