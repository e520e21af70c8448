-- Title: How they speak of brands
-- Question: What do the answers say of each brand, and where do they have it from?
-- Chart: table
-- Empty: Nothing is said of any brand in answers to this prompt in this week.
-- Computed: Rows of ai_search_sentiments of the prompt in the week, the negative ones first.
-- Datasets: ai_search_sentiments, ai_search_response
-- Variables: account, prompt, assistant, country, week
-- Order: 50
WITH frame AS (
  SELECT coalesce(:week::date, max(week)) AS week
    FROM search_reports.weeks
   WHERE dataset = 'ai_search_response' AND account_id = :account::bigint AND is_published
)
SELECT s.sentiment_brand AS brand, s.sentiment_value AS sentiment, s.sentiment_score AS score, s.sentiment_category AS category, s.sentiment_snippet AS snippet,
       s.ai_search_engine AS assistant, s.sentiment_source_domain AS source
  FROM search.ai_search_sentiments s
 WHERE s.account_id = :account::bigint AND s.prompt = :prompt::text
   AND s.time_period_start BETWEEN (SELECT week FROM frame) AND (SELECT week + 6 FROM frame)
   AND (:assistant::text IS NULL OR s.ai_search_engine = :assistant::text)
   AND (:country::text IS NULL OR search_reports.country_of(s.locode) = :country::text)
 ORDER BY lower(s.sentiment_value) <> 'negative', s.sentiment_brand, s.ai_search_engine, s.sentiment_score NULLS LAST, s._key, s._occurrence
 LIMIT 500
