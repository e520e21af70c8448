-- Title: Mention rate by assistant
-- Question: How often do assistants name one of our brands when they answer our prompts?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Note: Branded prompts name the brand themselves and inflate the rate, so they are separate: choose them above.
-- Computed: Answers that name a brand attributed to You, divided by all answers collected. An answer without any brand counts as one that does not
--   name us. Whether a prompt is branded is taken from brands and citations; a prompt that has neither counts as unbranded. Rows of own brands are
--   matched to their answer by web property, period, engine, place, language, topic, prompt and persona; brand_rows and brand_rows_met are the
--   numbers of these rows and of matched ones per week and assistant. If the datasets spell an engine, place or language differently there is a gap
--   that shows both spellings: aliases in jobs.config.yaml fix it. low and high are the 95 % interval of the rate, based on how much the prompts
--   differ; against_week_before says whether a change is beyond chance or within noise.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks
-- Order: 10
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_response,ai_search_brands}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[],
                                 :branded::text, :weeks::text, :topics::text[])
), answers AS (
  SELECT week, assistant, sum(answers) AS answers, sum(naming) AS naming, sum(lost) AS lost,
         search_reports.rate_interval(sum(naming)::float8, sum(answers)::float8, sum(answers_squared)::float8, sum(answers_by_naming)::float8,
                                      sum(naming_squared)::float8) AS bounds
    FROM search_reports.answers_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, (SELECT min(week) FROM frame),
         :topics::text[])
   GROUP BY week, assistant
), joins AS (
  SELECT * FROM search_reports.joined_brands(:account::bigint, ARRAY(SELECT week FROM frame))
), points AS (
  SELECT f.week, k.assistant, k.has_answers, CASE WHEN g.gap IS NULL THEN 100.0 * a.naming / a.answers END AS percent,
         CASE WHEN g.gap IS NULL THEN a.bounds END AS bounds, CASE WHEN g.gap IS NULL THEN a.naming END AS naming, a.answers,
         j.brand_rows, j.brand_rows_met, g.gap,
         coalesce(g.gap, nullif(concat_ws('; ', f.note, coalesce(l.lost, r.note), l.change), '')) AS reason,
         CASE WHEN g.gap IS NULL THEN concat_ws(', ', l.question, CASE WHEN l.lost IS NULL THEN r.note END) END AS question
    FROM frame f LEFT JOIN (SELECT DISTINCT assistant, true AS has_answers FROM answers) AS k ON true
    LEFT JOIN answers a ON a.week = f.week AND a.assistant IS NOT DISTINCT FROM k.assistant
    LEFT JOIN joins j ON j.week = f.week AND j.assistant IS NOT DISTINCT FROM k.assistant
   CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('assistant', coalesce(k.assistant, '')), a.naming > 0) AS l
   CROSS JOIN LATERAL search_reports.lost_rows(a.naming, a.lost) AS r
   CROSS JOIN LATERAL (SELECT coalesce(f.gap, j.gap, l.unasked, CASE WHEN a.answers IS NULL THEN 'no answers' END, r.gap) AS gap) AS g
)
SELECT n.week, CASE WHEN n.has_answers THEN coalesce(n.assistant, '(unknown)') END AS assistant, round(n.percent, 1) AS percent,
       round(n.bounds[1], 1) AS low, round(n.bounds[2], 1) AS high,
       search_reports.change_reading(n.percent, n.bounds, e.percent, e.bounds) AS against_week_before,
       n.naming AS answers_naming_us, n.answers, n.brand_rows, n.brand_rows_met, n.reason, n.question
  FROM points n
  LEFT JOIN points e ON e.week = n.week - 7 AND e.assistant IS NOT DISTINCT FROM n.assistant AND e.gap IS NULL AND e.question = n.question
 ORDER BY n.assistant, n.week
