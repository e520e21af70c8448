-- Title: What is said against us
-- Question: Which negative sentences about our brands do assistants write, and where do they have them from?
-- Chart: table
-- Note: The newest week with sentiments, worst first. Our brands are those that ai_search_brands attributes to You in that week; where it has
--   none, all brands are shown.
-- Empty: Nothing negative is said about our brands in the newest week.
-- Computed: Rows of ai_search_sentiments whose sentiment is negative and that have a snippet, by score.
-- Datasets: ai_search_sentiments, ai_search_brands
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 80
WITH shown AS (
  -- The view itself: with Citus a function would be called on the nodes, which have no ledger.
  SELECT week, reason, state, is_published
    FROM search_reports.weeks
   WHERE dataset = 'ai_search_sentiments' AND account_id = :account::bigint
   ORDER BY week DESC
   LIMIT :weeks::integer
), newest AS (
  SELECT search_reports.week_of(max(time_period_start)) AS week
    FROM search.ai_search_sentiments
   WHERE account_id = :account::bigint AND time_period_start >= (SELECT min(week) FROM shown)
), ours AS (
  SELECT DISTINCT lower(brand_or_product_name) AS brand
    FROM newest n
    JOIN search.ai_search_brands b ON b.account_id = :account::bigint AND b.time_period_start BETWEEN n.week AND n.week + 6
   WHERE lower(b.brand_or_product_attribution) = 'you'
)
SELECT s.sentiment_brand AS brand, s.sentiment_snippet AS snippet, s.sentiment_score, s.sentiment_category AS category,
       search_reports.spelled('engine', s.ai_search_engine, a.aliases) AS assistant, s.topic, s.prompt, s.sentiment_source_domain AS source,
       (SELECT format('Week of %s: %s.', w.week, w.reason) FROM shown w JOIN newest n USING (week)
         WHERE w.state <> 'summarising' AND w.is_published AND w.reason IS NOT NULL) AS notice
  FROM newest n
  JOIN search.ai_search_sentiments s ON s.account_id = :account::bigint AND s.time_period_start BETWEEN n.week AND n.week + 6
 CROSS JOIN (SELECT search_reports.aliases_of(:account::bigint) AS aliases) AS a
 WHERE lower(s.sentiment_value) = 'negative' AND s.sentiment_snippet <> ''
   AND (lower(s.sentiment_brand) IN (SELECT brand FROM ours) OR NOT EXISTS (SELECT 1 FROM ours))
   AND (:web_property::bigint IS NULL OR s.web_property_id = :web_property::bigint)
   AND (:assistant::text IS NULL OR search_reports.spelled('engine', s.ai_search_engine, a.aliases) = :assistant::text)
   AND (:country::text IS NULL OR search_reports.country_of(search_reports.spelled('locode', s.locode, a.aliases)) = :country::text)
   AND (:branded::text IS NULL OR lower(s.prompt_type) = :branded::text)
 ORDER BY s.sentiment_score NULLS LAST, s.sentiment_brand, s.sentiment_snippet, s._key, s._occurrence
 LIMIT 100
