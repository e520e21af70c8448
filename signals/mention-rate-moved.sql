-- Title: An assistant names us more or less often
-- Question: Has the mention rate of an assistant moved by more than chance?
-- More: more assistants name us more or less often
-- From: why/bridge?measure=mention_rate
-- Computed: The mention rate for unbranded prompts, like for like: over the prompts that both weeks have. Of all assistants together,
--   what is reported stands after Benjamini and Hochberg at 5 %, and is least_points percentage points or more. The prompts with most
--   answers gained or lost are named.
-- Datasets: ai_search_response, ai_search_brands
-- Thresholds: least_points
-- Order: 31
WITH pair AS MATERIALIZED (
  SELECT * FROM search_reports.signal_weeks('mention_rate', search_reports.all_of(:account::bigint, 'unbranded'), :week::date)
), moved AS (
  SELECT t.*, CASE WHEN t.like_for_like > 0 THEN 'more' ELSE 'less' END AS direction
    FROM pair p
   CROSS JOIN LATERAL search_reports.tested_assistants('mention_rate', search_reports.all_of(:account::bigint, 'unbranded'), p.week,
                                                       p.before) AS t
   WHERE t.assistant <> '(none)' AND t.is_more_than_chance AND abs(t.like_for_like) >= :least_points::numeric
), prompts AS (
  SELECT r.assistant, r.direction, search_reports.some_of(array_agg(r.name ORDER BY r.amount DESC, r.name)) AS names
    FROM (SELECT m.assistant, CASE WHEN sum(m.naming - m.naming_before) > 0 THEN 'more' ELSE 'less' END AS direction,
                 format('“%s”', m.prompt) AS name, abs(sum(m.naming - m.naming_before)) AS amount
            FROM pair p
           CROSS JOIN LATERAL search_reports.moved_prompts(search_reports.all_of(:account::bigint, 'unbranded'), p.week, p.before) AS m
           WHERE m.answers > 0 AND m.answers_before > 0
           GROUP BY m.assistant, m.prompt HAVING sum(m.naming - m.naming_before) <> 0) AS r
   GROUP BY r.assistant, r.direction
)
SELECT m.assistant AS subject,
       format('{assistant} names us %s often: in %s %% of its answers, %s points %s like for like, most to %s', m.direction,
              round(m.level, 1), round(abs(m.like_for_like), 1), m.direction, n.names) AS text,
       abs(m.like_for_like) AS weight, jsonb_build_object('assistant', m.assistant) AS about, p.silence
  FROM pair p LEFT JOIN moved m ON true LEFT JOIN prompts n ON n.assistant = m.assistant AND n.direction = m.direction
