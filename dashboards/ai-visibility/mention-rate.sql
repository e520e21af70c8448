-- Title: Mention rate by assistant
-- Question: How often do assistants name one of our brands when they answer our prompts?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Measure: mention_rate
-- Note: Branded prompts name the brand themselves and inflate the rate, so they are separate: choose them above.
-- Computed: Answers that name a brand of ours, divided by all answers collected. An answer without any brand does not name us. Rows of own brands are
--   matched to their answer by web property, period, engine, place, language, prompt and persona. low and high are the 95 % interval of the rate, based
--   on how much the prompts differ. like_for_like is the change against the week before over the prompts that both weeks have, same how much of the
--   answers these are, in percent.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, web_property, assistant, country, branded, topics, weeks
-- Order: 10
SELECT l.week, l.line AS assistant, round(l.level, 1) AS percent, round(l.low, 1) AS low, round(l.high, 1) AS high,
       l.part AS answers_naming_us, l.whole AS answers, round(l.like_for_like, 1) AS like_for_like, round(100 * l.matched, 1) AS same,
       CASE WHEN l.level IS NULL THEN coalesce(j.gap, l.reason) ELSE nullif(concat_ws('; ', l.reason, j.gap), '') END AS reason, l.question
  FROM search_reports.levels('mention_rate', 'assistant', :choices, :weeks::text) AS l
  LEFT JOIN search_reports.brand_gaps(:account::bigint, ARRAY(
            SELECT w.week FROM search_reports.measure_weeks('mention_rate', :account::bigint, :weeks::text) AS w WHERE w.gap IS NULL)) AS j
         ON j.week = l.week AND coalesce(j.assistant, '(none)') = l.line
 ORDER BY l.line, l.week
