-- Title: Sentiment by brand
-- Question: How well do assistants speak of our brands, and of those of others?
-- Chart: line
-- X: week
-- Y: sentiment_score
-- Series: brand
-- Unit: %
-- Measure: sentiment
-- Note: Positives plus half the neutrals, divided by all that have one of the three sentiments: 100 is only praise, 0 only criticism. Our brands are one line,
--   beside the five others with the most mentions in the newest week.
-- Computed: (Positive mentions + half of the neutral ones) / all positive, neutral and negative ones, in percent. Ours are names that brands of any week
--   attribute to You. low and high are the 95 % interval, based on how much the prompts differ. like_for_like is the change of ours against the week before
--   over the prompts that both weeks have. All lines break where most mentions of ours are in answers to other prompts than the week before.
-- Datasets: ai_search_sentiments
-- Variables: account, web_property, assistant, country, branded, topics, weeks
-- Order: 70
WITH ours AS MATERIALIZED (
  SELECT * FROM search_reports.levels('sentiment', NULL, :choices, :weeks::text)
)
SELECT week, CASE WHEN line IS NOT NULL THEN 'our brands' END AS brand, line IS NOT NULL AS is_ours, round(level, 1) AS sentiment_score,
       round(low, 1) AS low, round(high, 1) AS high, round(part, 1) AS praise, whole AS mentions,
       round(like_for_like, 1) AS like_for_like, reason, question
  FROM ours
 UNION ALL
SELECT r.week, r.brand, false, CASE WHEN r.reason IS NULL THEN round(100 * r.part / r.whole, 1) END,
       CASE WHEN r.reason IS NULL THEN round(r.low, 1) END, CASE WHEN r.reason IS NULL THEN round(r.high, 1) END,
       round(r.part, 1), r.whole, NULL, r.reason, CASE WHEN r.reason IS NULL THEN o.question END
  FROM search_reports.rival_sentiments(:choices, :weeks::text, 5) AS r LEFT JOIN ours o ON o.week = r.week
 ORDER BY 3 DESC, 2, 1
