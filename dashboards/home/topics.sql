-- Title: Topics
-- Question: On which topics do assistants name us more often, and on which less?
-- Chart: movers
-- Links: topic
-- X: topic
-- Y: percent_before, percent_now
-- Changes: change
-- Beside: change, More often, Less often
-- From: ai-visibility/topic-gap
-- Empty: Assistants name us on every topic as often as before.
-- Computed: Answers on the topic that name us, divided by all its answers, minus the same rate of the compared week, in points. reading says whether this change is
--   more than the 95 % intervals of both weeks explain; a topic with too few prompts for an interval comes last. Topics of which more than a
--   tenth of the prompts came or went are not compared; the notice names them.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks, compare
-- Order: 140
WITH pair AS (
  SELECT *
    FROM search_reports.ai_pair('{ai_search_response,ai_search_brands}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[],
                                :branded::text, :weeks::text, :compare::text, :topics::text[])
), joins AS (
  SELECT max(j.gap) AS gap FROM pair p CROSS JOIN LATERAL search_reports.joined_brands(:account::bigint, ARRAY[p.week, p.before]) AS j
), answers AS (
  SELECT a.topic, a.week = p.week AS is_now, sum(a.naming) AS naming, sum(a.answers) AS answers, sum(a.lost) AS lost,
         search_reports.rate_interval(sum(a.naming)::float8, sum(a.answers)::float8, sum(a.answers_squared)::float8, sum(a.answers_by_naming)::float8,
                                      sum(a.naming_squared)::float8) AS bounds
    FROM pair p
   CROSS JOIN LATERAL search_reports.answers_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, p.before,
         :topics::text[]) AS a
   WHERE a.week IN (p.week, p.before) GROUP BY 1, 2
), others AS (
  SELECT m.topic
    FROM pair p
   CROSS JOIN LATERAL search_reports.moved_topics(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, p.week,
                                                  p.before, :topics::text[]) AS m
), topics AS (
  SELECT coalesce(n.topic, '(none)') AS topic, round(100.0 * e.naming / e.answers, 1) AS percent_before, round(100.0 * n.naming / n.answers, 1) AS percent_now,
         round(100.0 * n.naming / n.answers, 1) - round(100.0 * e.naming / e.answers, 1) AS change, n.answers AS answers_now,
         search_reports.change_reading(100.0 * n.naming / n.answers, n.bounds, 100.0 * e.naming / e.answers, e.bounds) AS reading
    FROM pair p CROSS JOIN joins j JOIN answers n ON n.is_now JOIN answers e ON NOT e.is_now AND e.topic IS NOT DISTINCT FROM n.topic
   CROSS JOIN LATERAL search_reports.line(p.asked, jsonb_build_object('topic', coalesce(n.topic, '')), n.naming > 0) AS l
   CROSS JOIN LATERAL search_reports.line(p.asked -> 'compared', jsonb_build_object('topic', coalesce(e.topic, '')), e.naming > 0) AS c
   WHERE j.gap IS NULL AND l.unasked IS NULL AND c.unasked IS NULL
     AND (search_reports.lost_rows(n.naming, n.lost)).note IS NULL AND (search_reports.lost_rows(e.naming, e.lost)).note IS NULL
     AND NOT EXISTS (SELECT FROM others o WHERE o.topic IS NOT DISTINCT FROM n.topic)
), shown AS (
  (SELECT * FROM topics WHERE change > 0 ORDER BY reading IS NULL, change DESC,
   topic LIMIT 10) UNION ALL (SELECT * FROM topics WHERE change < 0 ORDER BY reading IS NULL, change, topic LIMIT 10)
)
SELECT CASE WHEN s.topic IS NOT NULL THEN p.week END AS week, s.*,
       coalesce(p.reason, p.refusal, j.gap,
                CASE WHEN NOT EXISTS (SELECT FROM topics) THEN 'No topic has answers to the same prompts in both weeks.' END) AS reason,
       nullif(concat_ws(' ', p.notice, (SELECT format('Not compared, as a tenth of the prompts came or went: %s.',
                                               string_agg(coalesce(topic, '(none)'), ', ' ORDER BY topic)) FROM others HAVING count(*) > 0)), '') AS notice
  FROM pair p CROSS JOIN joins j LEFT JOIN shown s ON true
 ORDER BY s.change > 0 DESC, (s.reading IS NULL) = (s.change > 0), s.change DESC, s.topic
