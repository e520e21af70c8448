-- Answers of assistants in one week. Params: :accountId; :week, its Sunday, or null for the newest; :assistant, or null for all; :contains, a part of
-- the prompt, or null; :most. Result: week, day, assistant, locode, language, topic, prompt, answer. Locks: none.
-- Not null: day, week.
WITH chosen AS MATERIALIZED (
  SELECT coalesce(:week::date, (SELECT max(week) FROM search_reports.weeks
                                 WHERE dataset = 'ai_search_response' AND account_id = :accountId::bigint AND is_published)) AS week)
SELECT c.week::text, r.time_period_start::text AS day, r.ai_search_engine AS assistant, r.locode, r.language, r.topic, r.prompt, r.ai_response AS answer
  FROM chosen c
  JOIN search.ai_search_response r ON r.account_id = :accountId::bigint AND r.time_period_start >= c.week AND r.time_period_start < c.week + 7
 WHERE (:assistant::text IS NULL OR lower(r.ai_search_engine) = lower(:assistant::text))
   AND (:contains::text IS NULL OR strpos(lower(r.prompt), lower(:contains::text)) > 0)
 ORDER BY r.prompt, r.ai_search_engine, r.locode, r._key, r._occurrence LIMIT :most
