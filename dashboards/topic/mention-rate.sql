-- Title: Mention rate by assistant
-- Question: How often do assistants name one of our brands when they answer prompts on this topic?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Measure: mention_rate
-- Computed: As on the board AI visibility, of one topic. low and high are the 95 % interval of the rate, based on how much the prompts differ.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, topic, web_property, assistant, country, branded = all, weeks
-- Order: 10
SELECT week, line AS assistant, round(level, 1) AS percent, round(low, 1) AS low, round(high, 1) AS high, part AS answers_naming_us,
       whole AS answers, round(like_for_like, 1) AS like_for_like, round(100 * matched, 1) AS same, reason, question
  FROM search_reports.levels('mention_rate', 'assistant', :choices, :weeks::text)
 ORDER BY line, week
