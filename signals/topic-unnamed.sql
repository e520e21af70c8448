-- Title: Not named any more on a topic
-- Question: On which topics has an assistant stopped naming us?
-- More: more topics on which an assistant has stopped naming us
-- From: topic?branded=unbranded
-- Computed: Answers to unbranded prompts by topic and assistant: those that named a brand of ours the week before, least_naming or more, where
--   none does now, of as many answers or more. A topic is left out if more than a tenth of the
--   prompts that the assistant was asked on it came or went.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Thresholds: least_naming
-- Order: 70
WITH pair AS (
  SELECT * FROM search_reports.naming_pair(:account::bigint, :week::date)
), answers AS (
  SELECT a.topic, a.assistant, sum(a.naming) FILTER (WHERE a.week = p.week) AS naming, sum(a.naming) FILTER (WHERE a.week = p.before) AS naming_before,
         sum(a.answers) FILTER (WHERE a.week = p.week) AS answers, sum(a.answers) FILTER (WHERE a.week = p.before) AS answers_before,
         sum(a.lost) FILTER (WHERE a.week = p.week) AS lost
    FROM pair p CROSS JOIN LATERAL search_reports.answers_of(:account::bigint, NULL, NULL, NULL, 'unbranded', p.before) AS a
   WHERE a.week IN (p.week, p.before) AND a.topic IS NOT NULL AND a.assistant IS NOT NULL
   GROUP BY a.topic, a.assistant
), stopped AS (
  SELECT a.*
    FROM pair w CROSS JOIN answers a
   CROSS JOIN LATERAL search_reports.line(w.asked, jsonb_build_object('topic', a.topic, 'assistant', a.assistant), true) AS l
   WHERE l.lost IS NULL AND a.lost = 0 AND a.naming = 0 AND a.naming_before >= :least_naming::bigint AND a.answers >= a.naming_before
     AND NOT EXISTS (SELECT FROM search_reports.moved_topics(:account::bigint, NULL, ARRAY[a.assistant], NULL, 'unbranded', w.week, w.before, ARRAY[a.topic]))
)
SELECT CASE WHEN s.naming_before IS NOT NULL THEN concat_ws(', ', s.topic, s.assistant) END AS subject,
       format('{assistant} does not name us any more on “%s”: in none of %s answers, after %s of %s', s.topic, s.answers, s.naming_before,
              s.answers_before) AS text,
       s.naming_before::numeric AS weight, jsonb_build_object('topic', s.topic, 'assistant', s.assistant) AS about, p.silence
  FROM pair p LEFT JOIN stopped s ON true
