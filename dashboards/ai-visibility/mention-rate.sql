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
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 10
WITH frame AS (
  SELECT a.week, a.reason, coalesce(b.is_published AND b.state <> 'summarising', false) AS has_brands
    FROM search_reports.weeks a
    LEFT JOIN search_reports.weeks b ON b.dataset = 'ai_search_brands' AND b.account_id = a.account_id AND b.week = a.week
   WHERE a.dataset = 'ai_search_response' AND a.account_id = :account::bigint
   ORDER BY a.week DESC
   LIMIT :weeks::integer
), figures AS (
  SELECT week, coalesce(assistant, '(unknown)') AS assistant, sum(answers) AS answers, sum(naming_answers) AS naming
    FROM search_reports.ai_answers
   WHERE account_id = :account::bigint AND week >= (SELECT min(week) FROM frame)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR coalesce(lower(prompt_type), 'unbranded') = :branded::text)
   GROUP BY 1, 2
)
SELECT f.week, a.assistant, CASE WHEN f.has_brands THEN round(100.0 * g.naming / nullif(g.answers, 0), 1) END AS percent,
       CASE WHEN f.has_brands THEN g.naming END AS answers_naming_us, g.answers,
       CASE WHEN g.answers IS NULL THEN coalesce(f.reason, 'no answers') WHEN NOT f.has_brands THEN 'no brands are published' END AS reason
  FROM frame f
 CROSS JOIN (SELECT DISTINCT assistant FROM figures) a
  LEFT JOIN figures g ON g.week = f.week AND g.assistant = a.assistant
 ORDER BY a.assistant, f.week
