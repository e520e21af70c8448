-- Title: Not named any more on a topic
-- Question: On which topics has an assistant stopped naming us?
-- More: more topics on which an assistant has stopped naming us
-- From: topic?branded=unbranded
-- Computed: Answers to unbranded prompts that both weeks have, by topic and assistant: those that named a brand of ours the week
--   before, least_naming or more, where none does now.
-- Datasets: ai_search_response, ai_search_brands
-- Thresholds: least_naming
-- Order: 70
WITH pair AS MATERIALIZED (
  SELECT * FROM search_reports.signal_weeks('mention_rate', search_reports.all_of(:account::bigint, 'unbranded'), :week::date)
), stopped AS (
  SELECT m.topic, m.assistant, sum(m.answers) AS answers, sum(m.naming_before) AS naming_before, sum(m.answers_before) AS answers_before
    FROM pair p CROSS JOIN LATERAL search_reports.moved_prompts(search_reports.all_of(:account::bigint, 'unbranded'), p.week, p.before) AS m
   WHERE m.topic IS NOT NULL AND m.assistant IS NOT NULL AND m.answers > 0 AND m.answers_before > 0
   GROUP BY m.topic, m.assistant
  HAVING sum(m.naming) = 0 AND bool_and(m.is_certain) AND sum(m.naming_before) >= :least_naming::bigint
     AND sum(m.answers) >= sum(m.naming_before)
)
SELECT CASE WHEN s.naming_before IS NOT NULL THEN concat_ws(', ', s.topic, s.assistant) END AS subject,
       format('{assistant} does not name us any more on “%s”: in none of %s answers, after %s of %s', s.topic, s.answers,
              s.naming_before, s.answers_before) AS text,
       s.naming_before::numeric AS weight, jsonb_build_object('topic', s.topic, 'assistant', s.assistant) AS about, p.silence
  FROM pair p LEFT JOIN stopped s ON true
