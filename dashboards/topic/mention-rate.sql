-- Title: Mention rate by assistant
-- Question: How often do assistants name one of our brands when they answer prompts on this topic?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Empty: No answer on this topic is loaded in these weeks.
-- Computed: As on the board AI visibility, of one topic. low and high are the 95 % interval of the rate, by how much the prompts differ;
--   against_week_before says whether a change is more than that leaves to chance, or within noise.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, topic, web_property, assistant, country, branded = all, weeks
-- Order: 10
WITH frame AS (
  SELECT * FROM search_reports.ai_frame('{ai_search_response,ai_search_brands}', :account::bigint, :web_property::bigint, :assistant::text, :country::text, :branded::text, :weeks::text)
), answers AS (
  SELECT week, coalesce(assistant, '(unknown)') AS assistant, answers, naming, search_reports.rate_interval(naming::float8, answers::float8, answers_squared::float8, answers_by_naming::float8, naming_squared::float8) AS bounds
    FROM search_reports.answers_of(:account::bigint, :web_property::bigint, :assistant::text, :country::text, :branded::text, (SELECT min(week) FROM frame))
   WHERE topic = :topic::text
), joins AS (
  SELECT * FROM search_reports.joined_brands(:account::bigint, ARRAY(SELECT week FROM frame))
)
SELECT f.week, k.assistant, CASE WHEN g.gap IS NULL THEN round(100.0 * a.naming / a.answers, 1) END AS percent,
       CASE WHEN g.gap IS NULL THEN round(a.bounds[1], 1) END AS low, CASE WHEN g.gap IS NULL THEN round(a.bounds[2], 1) END AS high,
       CASE WHEN g.gap IS NULL AND l.change IS NULL THEN search_reports.change_reading(100.0 * a.naming / a.answers, a.bounds, 100.0 * e.naming / e.answers, e.bounds) END AS against_week_before,
       CASE WHEN g.gap IS NULL THEN a.naming END AS answers_naming_us, a.answers, coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change), '')) AS reason,
       CASE WHEN g.gap IS NULL THEN l.question END AS question
  FROM frame f CROSS JOIN (SELECT DISTINCT assistant FROM answers) AS k
  LEFT JOIN answers a ON a.week = f.week AND a.assistant = k.assistant
  LEFT JOIN answers e ON e.week = f.week - 7 AND e.assistant = k.assistant
  LEFT JOIN joins j ON j.week = f.week AND j.assistant = k.assistant
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('assistant', k.assistant, 'topic', :topic::text), a.naming > 0) AS l
 CROSS JOIN LATERAL (SELECT coalesce(f.gap, j.gap, l.unasked, CASE WHEN a.answers IS NULL THEN 'no answers' END) AS gap) AS g
 ORDER BY k.assistant, f.week
