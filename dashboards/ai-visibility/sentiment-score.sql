-- Title: Sentiment by brand
-- Question: How well do assistants speak of the brands they name?
-- Chart: line
-- X: week
-- Y: sentiment_score
-- Series: brand
-- Unit: %
-- Note: 100 is praise only, 0 is criticism only. The six brands with the most mentions in the newest week.
-- Computed: (Positive mentions + half of the neutral ones) / all mentions of the brand, in percent. Mentions with another sentiment count as
--   mentions only. A week in which no mention has one of the three sentiments is a gap.
-- Datasets: ai_search_sentiments
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 70
WITH frame AS (
  SELECT week, gap, note FROM search_reports.newest_weeks('ai_search_sentiments', :account::bigint, :weeks::integer)
), mentions AS (
  SELECT week, brand, sum(positive) AS positive, sum(neutral) AS neutral, sum(negative) AS negative,
         sum(positive + neutral + negative + other) AS mentions
    FROM search_reports.ai_sentiments
   WHERE account_id = :account::bigint AND week >= (SELECT min(week) FROM frame)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR prompt_type = :branded::text)
   GROUP BY 1, 2
), top AS (
  SELECT brand FROM mentions WHERE week = (SELECT max(week) FROM mentions) ORDER BY mentions DESC, brand LIMIT 6
)
SELECT f.week, coalesce(b.brand, '(none)') AS brand,
       CASE WHEN m.positive + m.neutral + m.negative > 0 THEN round(100.0 * (m.positive + m.neutral / 2.0) / m.mentions, 1) END AS sentiment_score,
       m.positive, m.neutral, m.negative, m.mentions,
       CASE WHEN m.mentions IS NULL THEN coalesce(f.gap, f.note, 'not mentioned')
            WHEN m.positive + m.neutral + m.negative = 0 THEN concat_ws('; ', 'no sentiment values', f.note) ELSE f.note END AS reason
  FROM frame f
 CROSS JOIN top b
  LEFT JOIN mentions m ON m.week = f.week AND m.brand IS NOT DISTINCT FROM b.brand
 ORDER BY b.brand, f.week
