-- Title: An assistant names us more or less often
-- Question: Has the mention rate of an assistant moved by more than chance?
-- More: more assistants name us more or less often
-- From: ai-visibility/mention-rate
-- Computed: The mention rate for unbranded prompts and its 95 % interval, as on the board AI visibility. It is reported if it differs from the week before
--   by more than both intervals explain, and by least_points percentage points or more.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Thresholds: least_points
-- Order: 31
WITH pair AS (
  SELECT * FROM search_reports.naming_pair(:account::bigint, :week::date)
), rates AS (
  SELECT a.week, a.assistant, 100.0 * sum(a.naming) / sum(a.answers) AS percent,
         search_reports.rate_interval(sum(a.naming)::float8, sum(a.answers)::float8, sum(a.answers_squared)::float8, sum(a.answers_by_naming)::float8,
                                      sum(a.naming_squared)::float8) AS bounds
    FROM pair p CROSS JOIN LATERAL search_reports.answers_of(:account::bigint, NULL, NULL, NULL, 'unbranded', p.before) AS a
   WHERE a.week IN (p.week, p.before) AND a.assistant IS NOT NULL
   GROUP BY a.week, a.assistant
), moved AS (
  SELECT n.assistant, n.percent, b.percent AS before, search_reports.change_reading(n.percent, n.bounds, b.percent, b.bounds) AS reading
    FROM pair p JOIN rates n ON n.week = p.week JOIN rates b ON b.week = p.before AND b.assistant = n.assistant
   CROSS JOIN LATERAL search_reports.line(p.asked, jsonb_build_object('assistant', n.assistant), true) AS l
   WHERE abs(n.percent - b.percent) >= :least_points::numeric AND l.change IS NULL AND l.lost IS NULL
)
SELECT m.assistant AS subject,
       format('{assistant} names us %s often: in %s %% of its answers, after %s %%', m.reading, round(m.percent, 1), round(m.before, 1)) AS text,
       abs(m.percent - m.before) AS weight, jsonb_build_object('assistant', m.assistant) AS about, p.silence
  FROM pair p LEFT JOIN moved m ON m.reading IN ('more', 'less')
