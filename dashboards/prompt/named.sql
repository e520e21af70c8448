-- Title: Whether they name us
-- Question: In how many answers to this prompt does each assistant name one of our brands, week by week?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Measure: mention_rate
-- Note: One prompt has few answers per week: check the number of answers before you call it a change.
-- Computed: Answers to the prompt that name a brand of ours, divided by all answers to it, joined as on the board AI visibility. A line breaks where most of
--   the places, languages, personas and web properties that the prompt is asked for are others than in the week before.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, persona, intent, prompt_group, prompt, assistant, country, weeks
-- Order: 20
SELECT week, line AS assistant, round(level, 1) AS percent, part AS answers_naming_us, whole AS answers, reason, question
  FROM search_reports.levels('mention_rate', 'assistant', :choices, :weeks::text)
 ORDER BY line, week
