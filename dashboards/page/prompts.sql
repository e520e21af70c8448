-- Title: Answers that cite it
-- Question: For which prompts do answers cite this page, and for which no longer?
-- Chart: table
-- Links: prompt, topic
-- Why: change = citing_rate
-- Empty: No answer cites this page in either week.
-- Computed: Citations of this page, by prompt and assistant, in the newest week and the compared week. If these cannot be
--   compared, or the prompt was not asked in both, in the same places and languages, as the same personas and for the same web properties,
--   none
--   is called new or gone.
-- Datasets: ai_search_citations
-- Variables: account, page, web_property, assistant, country, weeks, compare
-- Order: 40
WITH pair AS (
  SELECT p.*, search_reports.is_own_page(:account::bigint, :page::text) AS is_ours
    FROM search_reports.measure_pair('citations', :account::bigint, :weeks::text, :compare::text) AS p
), found AS MATERIALIZED (
  SELECT c.prompt, c.assistant, max(c.topic) AS topic, max(c.title) AS title,
         coalesce(sum(c.citations) FILTER (WHERE w.week = p.week), 0) AS citations,
         CASE WHEN bool_and(w.week = p.week) THEN 'new' WHEN bool_and(w.week = p.before) THEN 'gone' END AS change
    FROM pair p CROSS JOIN LATERAL unnest(ARRAY[p.week, p.before]) AS w (week)
   CROSS JOIN LATERAL search_reports.cited(:choices, ARRAY[w.week], page => :page::text) AS c GROUP BY 1, 2
), kept AS (
  -- A prompt that one of the weeks does not have, or not as a whole, is neither new nor gone.
  SELECT k.prompt, k.assistant
    FROM (SELECT u.prompt, u.assistant,
                 count(DISTINCT u.week) FILTER (WHERE u.citations IS NOT NULL OR u.own_citations IS NOT NULL AND p.is_ours) AS weeks
            FROM pair p CROSS JOIN LATERAL search_reports.prompts(:choices, ARRAY[p.week, p.before]) AS u
           WHERE u.prompt IN (SELECT prompt FROM found) GROUP BY u.unit, 1, 2) AS k
   GROUP BY 1, 2 HAVING min(k.weeks) = 2
)
SELECT f.prompt, f.assistant, f.topic, f.title, f.citations, CASE WHEN k.prompt IS NOT NULL THEN f.change END AS change,
       CASE WHEN f.prompt IS NOT NULL THEN p.is_ours END AS is_ours, p.reason, concat_ws(' ', p.refusal, p.notice) AS notice
  FROM pair p LEFT JOIN found f ON true LEFT JOIN kept k ON k.prompt = f.prompt AND k.assistant IS NOT DISTINCT FROM f.assistant
 ORDER BY f.citations DESC, f.prompt, f.assistant
