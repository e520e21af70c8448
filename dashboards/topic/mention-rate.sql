-- Title: Mention rate by assistant
-- Question: How often do assistants name one of our brands when they answer prompts on this topic?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Empty: No week is published.
-- Computed: As on the board AI visibility, of one topic. low and high are the 95 % interval of the rate, based on how much the prompts differ;
--   against_week_before says whether a change is beyond chance or within noise.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Variables: account, topic, web_property, assistant, country, branded = all, weeks
-- Order: 10
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_response,ai_search_brands}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[],
                                 :branded::text, :weeks::text, ARRAY[:topic::text])
), answers AS (
  SELECT week, coalesce(assistant, '(unknown)') AS assistant, answers, naming, lost,
         search_reports.rate_interval(naming::float8, answers::float8, answers_squared::float8, answers_by_naming::float8, naming_squared::float8) AS bounds
    FROM search_reports.answers_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, (SELECT min(week) FROM frame))
   WHERE topic = :topic::text
), joins AS (
  SELECT * FROM search_reports.joined_brands(:account::bigint, ARRAY(SELECT week FROM frame))
), points AS (
  SELECT f.week, k.assistant, CASE WHEN g.gap IS NULL THEN 100.0 * a.naming / a.answers END AS percent, CASE WHEN g.gap IS NULL THEN a.bounds END AS bounds,
         CASE WHEN g.gap IS NULL THEN a.naming END AS naming, a.answers, g.gap,
         coalesce(g.gap, nullif(concat_ws('; ', f.note, coalesce(l.lost, r.note), l.change), '')) AS reason,
         CASE WHEN g.gap IS NULL THEN concat_ws(', ', l.question, CASE WHEN l.lost IS NULL THEN r.note END) END AS question
    FROM frame f LEFT JOIN (SELECT DISTINCT assistant FROM answers) AS k ON true
    LEFT JOIN answers a ON a.week = f.week AND a.assistant = k.assistant
    LEFT JOIN joins j ON j.week = f.week AND j.assistant = k.assistant
   CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('assistant', k.assistant, 'topic', :topic::text), a.naming > 0) AS l
   CROSS JOIN LATERAL search_reports.lost_rows(a.naming, a.lost) AS r
   CROSS JOIN LATERAL (SELECT coalesce(f.gap, j.gap, l.unasked, CASE WHEN a.answers IS NULL THEN 'no answers' END, r.gap) AS gap) AS g
)
SELECT n.week, n.assistant, round(n.percent, 1) AS percent, round(n.bounds[1], 1) AS low, round(n.bounds[2], 1) AS high,
       search_reports.change_reading(n.percent, n.bounds, e.percent, e.bounds) AS against_week_before,
       n.naming AS answers_naming_us, n.answers, n.reason, n.question
  FROM points n
  LEFT JOIN points e ON e.week = n.week - 7 AND e.assistant = n.assistant AND e.gap IS NULL AND e.question = n.question
 ORDER BY n.assistant, n.week
