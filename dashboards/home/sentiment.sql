-- Title: Sentiment
-- Question: How well do assistants speak of our brands?
-- Chart: tiles
-- X: week
-- Y: figure
-- Unit: %
-- From: ai-visibility/sentiment-score
-- Computed: (Positive mentions + half of the neutral ones) / all mentions of our brands together, in percent, as on the board AI visibility for
--   each. Our brands are those attributed to You in the newest week that has any. The 95 % interval is based on how much the
--   prompts differ, as if all our brands were named in answers to the same prompts.
-- Datasets: ai_search_sentiments, ai_search_brands
-- Variables: account, web_property, assistant, country, branded, topics, weeks, compare
-- Order: 60
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_sentiments}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                 :weeks::text, :topics::text[])
), own AS (
  -- A week may have been asked for others only.
  SELECT coalesce((SELECT o.brands FROM (SELECT week FROM frame ORDER BY week DESC) AS f
                    CROSS JOIN LATERAL search_reports.own_brands(:account::bigint, f.week) AS o (brands) WHERE o.brands <> '{}' LIMIT 1), '{}') AS brands
), brands AS (
  SELECT s.*
    FROM own
   CROSS JOIN LATERAL search_reports.sentiments_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                                   (SELECT min(week) FROM frame), :topics::text[]) AS s WHERE lower(s.brand) = ANY (own.brands)
), together AS (
  -- By how much mentions of a prompt are more than those of each brand by itself, if the brands are named in answers to the same prompts.
  SELECT week, (sum(sqrt(mentions_squared)) ^ 2 / nullif(sum(mentions_squared), 0))::float8 AS times FROM brands GROUP BY week
), mentions AS (
  SELECT b.week, sum(b.positive + b.neutral / 2.0) AS good, sum(b.positive + b.neutral + b.negative) AS valued, sum(b.mentions) AS mentions,
         search_reports.rate_interval(sum(b.positive + b.neutral / 2.0)::float8, sum(b.mentions)::float8, t.times * sum(b.mentions_squared)::float8,
                                      t.times * sum(b.mentions_by_halves)::float8 / 2, t.times * sum(b.halves_squared)::float8 / 4) AS bounds
    FROM brands b JOIN together t ON t.week = b.week GROUP BY b.week, t.times
), points AS (
  SELECT f.week, 100.0 * m.good / nullif(m.mentions, 0) AS figure, m.bounds, nullif(concat_ws('; ', f.note, s.note), '') AS note, l.change,
         nullif(concat_ws(', ', l.question, s.note), '') AS question,
         coalesce(f.gap, l.unasked, search_reports.unasked_values(f.asked, 'sentiment_values', '{positive,neutral,negative}'),
                  CASE WHEN own.brands = '{}' THEN 'no brand is known to be ours' WHEN m.mentions IS NULL THEN 'not mentioned' END, s.gap) AS gap
    FROM frame f CROSS JOIN own LEFT JOIN mentions m ON m.week = f.week
   CROSS JOIN LATERAL search_reports.line(f.asked, '{}', m.mentions > 0) AS l
   CROSS JOIN LATERAL search_reports.other_sentiments(m.good, m.valued, m.mentions) AS s
)
SELECT t.*, m.mentions
  FROM search_reports.tile((SELECT jsonb_agg(p) FROM points AS p), 1, :compare::text) AS t LEFT JOIN mentions m ON m.week = t.week ORDER BY t.week
