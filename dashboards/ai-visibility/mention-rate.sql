-- Title: Mention rate by assistant
-- Question: How often do assistants name one of our brands when they answer our prompts?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Note: Branded prompts name the brand themselves and inflate the rate, so they stand apart: choose them above.
-- Computed: Answers that name a brand attributed to You, divided by all answers collected. The denominator are the rows of
--   ai_search_response, not those of brands: an answer without any brand counts. Whether a prompt is branded is known from brands and
--   citations; one that has neither counts as unbranded.
--   Rows of own brands find their answer by web property, period, engine, place, language, topic, prompt and persona; brand_rows and
--   brand_rows_met say of the week and assistant how many there are and how many found it. Where the datasets spell an engine, place or
--   language differently there is a gap that shows both spellings: aliases in jobs.config.yaml mends it.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 10
WITH frame AS (
  SELECT a.week, a.gap, nullif(concat_ws('; ', a.note, 'brands ' || b.note), '') AS note, b.week IS NOT NULL AND b.gap IS NULL AS has_brands
    FROM search_reports.newest_weeks('ai_search_response', :account::bigint, :weeks::integer) a
    LEFT JOIN search_reports.newest_weeks('ai_search_brands', :account::bigint, NULL) b ON b.week = a.week
), figures AS (
  SELECT week, coalesce(assistant, '(unknown)') AS assistant, sum(answers) AS answers, sum(naming_answers) AS naming
    FROM search_reports.ai_answers
   WHERE account_id = :account::bigint AND week >= (SELECT min(week) FROM frame)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR coalesce(prompt_type, 'unbranded') = :branded::text)
   GROUP BY 1, 2
), joins AS (
  SELECT * FROM search_reports.joined_brands(:account::bigint, ARRAY(SELECT week FROM frame))
)
SELECT f.week, a.assistant, CASE WHEN f.has_brands AND j.gap IS NULL THEN round(100.0 * g.naming / nullif(g.answers, 0), 1) END AS percent,
       CASE WHEN f.has_brands AND j.gap IS NULL THEN g.naming END AS answers_naming_us, g.answers, j.brand_rows, j.brand_rows_met,
       CASE WHEN g.answers IS NULL THEN coalesce(f.gap, f.note, 'no answers') WHEN NOT f.has_brands THEN 'no brands are published'
            ELSE coalesce(j.gap, f.note) END AS reason
  FROM frame f
 CROSS JOIN (SELECT DISTINCT assistant FROM figures) a
  LEFT JOIN figures g ON g.week = f.week AND g.assistant = a.assistant
  LEFT JOIN joins j ON j.week = f.week AND coalesce(j.assistant, '(unknown)') = a.assistant
 ORDER BY a.assistant, f.week
