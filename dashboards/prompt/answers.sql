-- Title: The answers
-- Question: What does each assistant answer, and what has changed?
-- Chart: text
-- Y: answer, answer_before
-- Note: Of several answers in one week the newest is shown. Names of brands are found in the text as they are written, without case.
-- Empty: No assistant answered this prompt in these weeks.
-- Computed: Rows of ai_search_response of the prompt, by assistant, place, language, persona and web property, beside those of the week compared with.
--   Our brands are those that ai_search_brands attributes to You in the week; rivals are other brands with a sentiment in answers to the prompt.
-- Datasets: ai_search_response, ai_search_brands, ai_search_sentiments
-- Variables: account, prompt, assistant, country, week, before
-- Order: 10
WITH frame AS (
  SELECT coalesce(:week::date, max(week)) AS week, coalesce(:before::date, coalesce(:week::date, max(week)) - 7) AS before
    FROM search_reports.weeks
   WHERE dataset = 'ai_search_response' AND account_id = :account::bigint AND is_published
), states AS (
  SELECT week, CASE WHEN state = 'summarising' AND is_published THEN NULL WHEN NOT is_published THEN coalesce(reason, state) END AS gap
    FROM search_reports.weeks
   WHERE dataset = 'ai_search_response' AND account_id = :account::bigint
), rows AS (
  SELECT true AS is_newer, r.* FROM search.ai_search_response r
   WHERE r.account_id = :account::bigint AND r.prompt = :prompt::text
     AND r.time_period_start BETWEEN (SELECT week FROM frame) AND (SELECT week + 6 FROM frame)
  UNION ALL
  SELECT false, r.* FROM search.ai_search_response r
   WHERE r.account_id = :account::bigint AND r.prompt = :prompt::text
     AND r.time_period_start BETWEEN (SELECT before FROM frame) AND (SELECT before + 6 FROM frame)
), answers AS (
  SELECT ai_search_engine AS assistant, locode, language, persona, web_property_name AS web_property,
         max(collection_date) FILTER (WHERE is_newer) AS collected,
         (array_agg(ai_response ORDER BY time_period_start DESC, _key, _occurrence) FILTER (WHERE is_newer))[1] AS answer,
         (array_agg(ai_response ORDER BY time_period_start DESC, _key, _occurrence) FILTER (WHERE NOT is_newer))[1] AS answer_before
    FROM rows
   WHERE (:assistant::text IS NULL OR ai_search_engine = :assistant::text)
     AND (:country::text IS NULL OR search_reports.country_of(locode) = :country::text)
   GROUP BY ai_search_engine, locode, language, persona, web_property_id, web_property_name
), ours AS (
  SELECT DISTINCT b.brand_or_product_name AS brand
    FROM search.ai_search_brands b
   WHERE b.account_id = :account::bigint AND lower(b.brand_or_product_attribution) = 'you' AND b.brand_or_product_name <> ''
     AND b.time_period_start BETWEEN (SELECT least(week, before) FROM frame) AND (SELECT greatest(week, before) + 6 FROM frame)
), rivals AS (
  SELECT DISTINCT s.sentiment_brand AS brand
    FROM search.ai_search_sentiments s
   WHERE s.account_id = :account::bigint AND s.prompt = :prompt::text AND s.sentiment_brand <> ''
     AND s.time_period_start BETWEEN (SELECT least(week, before) FROM frame) AND (SELECT greatest(week, before) + 6 FROM frame)
     AND lower(s.sentiment_brand) NOT IN (SELECT lower(brand) FROM ours)
)
SELECT a.assistant, a.locode, a.language, a.persona, a.web_property, a.collected, f.week AS week, f.before AS compared_with, a.answer, a.answer_before,
       (SELECT string_agg(brand, chr(10) ORDER BY brand) FROM ours) AS our_brands,
       (SELECT string_agg(brand, chr(10) ORDER BY brand) FROM rivals) AS rival_brands,
       CASE WHEN a.answer IS NULL THEN coalesce('no answer: ' || (SELECT gap FROM states s WHERE s.week = f.week), 'no answer in this week')
            WHEN a.answer_before IS NULL THEN 'nothing to compare with: '
              || coalesce((SELECT gap FROM states s WHERE s.week = f.before),
                          CASE WHEN EXISTS (SELECT FROM states s WHERE s.week = f.before) THEN 'no answer in that week' ELSE 'that week was never loaded' END) END AS reason
  FROM answers a CROSS JOIN frame f
 ORDER BY a.assistant, a.locode, a.language, a.persona, a.web_property
