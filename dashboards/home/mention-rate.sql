-- Title: Mention rate
-- Question: How often do assistants name one of our brands?
-- Chart: tiles
-- X: week
-- Y: figure
-- Unit: %
-- From: ai-visibility/mention-rate
-- Computed: Answers of all assistants that name a brand attributed to You, divided by all answers collected, as on the board AI visibility. The
--   95 % interval is based on how much the prompts differ. A week in which the brands of an assistant do not match its answers is a gap.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks, compare
-- Order: 40
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_response,ai_search_brands}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[],
                                 :branded::text, :weeks::text, :topics::text[])
), answers AS (
  SELECT week, sum(naming) AS naming, sum(answers) AS answers, sum(lost) AS lost, array_agg(DISTINCT assistant) AS assistants,
         search_reports.rate_interval(sum(naming)::float8, sum(answers)::float8, sum(answers_squared)::float8, sum(answers_by_naming)::float8,
                                      sum(naming_squared)::float8) AS bounds
    FROM search_reports.answers_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, (SELECT min(week) FROM frame),
         :topics::text[])
   GROUP BY week
), joins AS (
  SELECT j.week, min(j.gap) AS gap
    FROM search_reports.joined_brands(:account::bigint, ARRAY(SELECT week FROM frame)) AS j
    JOIN answers a ON a.week = j.week AND j.assistant = ANY (a.assistants) GROUP BY j.week
), points AS (
  SELECT f.week, 100.0 * a.naming / a.answers AS figure, a.bounds, nullif(concat_ws('; ', f.note, coalesce(l.lost, r.note)), '') AS note, l.change,
         nullif(concat_ws(', ', l.question, CASE WHEN l.lost IS NULL THEN r.note END), '') AS question,
         coalesce(f.gap, j.gap, l.unasked, CASE WHEN a.answers IS NULL THEN 'no answers' END, r.gap) AS gap
    FROM frame f LEFT JOIN answers a ON a.week = f.week LEFT JOIN joins j ON j.week = f.week
   CROSS JOIN LATERAL search_reports.line(f.asked, '{}', a.naming > 0) AS l
   CROSS JOIN LATERAL search_reports.lost_rows(a.naming, a.lost) AS r
)
SELECT t.*, a.naming AS answers_naming_us, a.answers
  FROM search_reports.tile((SELECT jsonb_agg(p) FROM points AS p), 1, :compare::text) AS t LEFT JOIN answers a ON a.week = t.week ORDER BY t.week
