-- Title: Sentiment by brand
-- Question: How well do assistants speak of the brands they name?
-- Chart: line
-- X: week
-- Y: sentiment_score
-- Series: brand
-- Unit: %
-- Note: Positives plus half the neutrals, divided by all: 100 is only praise, 0 only criticism. The table also has the points of the service. The six brands with the most mentions in the newest week.
-- Computed: (Positive mentions + half of the neutral ones) / all mentions of the brand that have a sentiment, in percent. Mentions with another
--   sentiment count only as mentions; those without one are not counted. A week in which no mention has one of the three sentiments is a gap, and one
--   in which more than a tenth of the mentions have another one is not compared.
--   low and high are its 95 % interval, based on how much the prompts differ. points are computed as in the service's own tool: 10 for a positive
--   mention, 5 for a neutral one, 1 for a negative one, averaged over the mentions of the brand in a prompt, the prompts of a topic, the
--   topics of the week; a prompt counts once for each assistant, country and web property.
-- Datasets: ai_search_sentiments
-- Variables: account, web_property, assistant, country, branded, topics, weeks
-- Order: 70
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_sentiments}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                 :weeks::text, :topics::text[])
), mentions AS (
  SELECT *, search_reports.rate_interval((positive + neutral / 2.0)::float8, mentions::float8, mentions_squared::float8, mentions_by_halves::float8 / 2,
                                         halves_squared::float8 / 4) AS bounds
    FROM search_reports.sentiments_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                      (SELECT min(week) FROM frame), :topics::text[])
), top AS (
  SELECT brand, true AS is_named FROM mentions WHERE week = (SELECT max(week) FROM mentions) ORDER BY mentions DESC, brand LIMIT 6
)
SELECT f.week, CASE WHEN b.is_named THEN coalesce(b.brand, '(none)') END AS brand,
       CASE WHEN g.gap IS NULL THEN round(100.0 * (m.positive + m.neutral / 2.0) / m.mentions, 1) END AS sentiment_score,
       CASE WHEN g.gap IS NULL THEN round(m.bounds[1], 1) END AS low, CASE WHEN g.gap IS NULL THEN round(m.bounds[2], 1) END AS high,
       CASE WHEN g.gap IS NULL THEN round(m.points, 2) END AS points,
       m.positive, m.neutral, m.negative, m.mentions,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, o.note, l.change), '')) AS reason,
       CASE WHEN g.gap IS NULL THEN concat_ws(', ', l.question, o.note) END AS question
  FROM frame f LEFT JOIN top b ON true
  LEFT JOIN mentions m ON m.week = f.week AND m.brand IS NOT DISTINCT FROM b.brand AND b.is_named
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('brand', coalesce(b.brand, '')), m.mentions > 0) AS l
 CROSS JOIN LATERAL search_reports.other_sentiments(m.positive + m.neutral / 2.0, m.positive + m.neutral + m.negative, m.mentions) AS o
 CROSS JOIN LATERAL (
       SELECT coalesce(f.gap, l.unasked, search_reports.unasked_values(f.asked, 'sentiment_values', '{positive,neutral,negative}'),
                       CASE WHEN b.is_named IS NULL THEN 'no sentiments' WHEN m.mentions IS NULL THEN 'not mentioned' END, o.gap) AS gap) AS g
 ORDER BY b.brand, f.week
