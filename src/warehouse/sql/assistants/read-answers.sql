-- Answers of assistants in one week. Params: :accountId; :week, its Sunday; :assistant and :topic, or null for all; :contains,
-- a part of the prompt, or null; :most.
-- Result: week, day, assistant, locode, language, topic, prompt, answer. Locks: none.
-- Not null: day, week.
SELECT (:week::date)::text AS week, r.time_period_start::text AS day, r.ai_search_engine AS assistant, r.locode, r.language, r.topic, r.prompt, r.ai_response AS answer
  FROM search.ai_search_response r
 WHERE r.account_id = :accountId::bigint AND r.time_period_start >= :week::date AND r.time_period_start < :week::date + 7
   AND (:assistant::text IS NULL OR lower(r.ai_search_engine) = lower(:assistant::text))
   AND (:topic::text IS NULL OR lower(r.topic) = lower(:topic::text))
   AND (:contains::text IS NULL OR strpos(lower(r.prompt), lower(:contains::text)) > 0)
 ORDER BY r.prompt, r.ai_search_engine, r.locode, r._key, r._occurrence LIMIT :most
