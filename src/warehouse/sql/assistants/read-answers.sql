-- Answers of assistants in one week. Params: :accountId; :week, its Sunday; :assistant and :topic, or null for all; :contains,
-- a part of the prompt, or null; :most.
-- Result: week, day, assistant, locode, language, and topic, prompt and answer, of each one character more than is shown. Locks: none.
-- Not null: day, week.
SELECT (:week::date)::text AS week, r.time_period_start::text AS day, r.ai_search_engine AS assistant, r.locode, r.language, left(r.topic, 2001) AS topic,
       left(r.prompt, 2001) AS prompt, left(r.ai_response, 2001) AS answer
  FROM search.ai_search_response r
 WHERE r.account_id = :accountId::bigint AND r.time_period_start >= :week::date AND r.time_period_start < :week::date + 7
   AND (:assistant::text IS NULL OR lower(r.ai_search_engine) = lower(:assistant::text))
   AND (:topic::text IS NULL OR lower(r.topic) = lower(:topic::text))
   AND (:contains::text IS NULL OR strpos(lower(r.prompt), lower(:contains::text)) > 0)
 ORDER BY r.prompt, r.ai_search_engine, r.locode, r._key, r._occurrence LIMIT :most
