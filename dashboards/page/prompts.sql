-- Title: Answers that cite it
-- Question: For which prompts do answers cite this page, and for which no longer?
-- Chart: table
-- Links: prompt, topic
-- Empty: No answer cites this page in either week.
-- Computed: Citations of this page, by prompt and assistant, in the newest week and the compared week. If these cannot be
--   compared, or the prompt was not asked in both, in the same places and languages, as the same personas and for the same web properties, none
--   is called new or gone.
-- Datasets: ai_search_citations
-- Variables: account, page, web_property, assistant, country, weeks, compare
-- Order: 40
WITH pair AS (
  SELECT *
    FROM search_reports.ai_pair('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :weeks::text,
                                :compare::text)
), found AS (
  SELECT c.prompt, c.assistant, max(c.topic) AS topic, max(c.title) AS title, coalesce(sum(c.citations) FILTER (WHERE w.is_newer), 0) AS citations,
         bool_or(w.is_newer) AS is_now, bool_or(NOT w.is_newer) AS was_before
    FROM pair p CROSS JOIN LATERAL (VALUES (p.week, true), (p.before, false)) AS w (week, is_newer)
   CROSS JOIN LATERAL search_reports.citations_in(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], w.week, NULL, :page::text,
                                                  NULL) AS c
   WHERE w.week IS NOT NULL
   GROUP BY 1, 2
), asked AS (
  SELECT prompt, assistant
    FROM (SELECT a.prompt, a.assistant, count(DISTINCT w.week) AS weeks
            FROM pair p CROSS JOIN LATERAL (SELECT array_agg(prompt) AS prompts FROM found) AS f
           CROSS JOIN LATERAL (VALUES (p.week), (p.before)) AS w (week)
           CROSS JOIN LATERAL search_reports.asked_in(:account::bigint, w.week, f.prompts) AS a
           WHERE p.before IS NOT NULL AND search_reports.is_chosen(a.country, :country::text[])
             AND search_reports.is_chosen(a.web_property, :web_property::text[])
           GROUP BY a.prompt, a.assistant, a.way, a.web_property) AS places
   GROUP BY 1, 2
  HAVING min(weeks) = 2
)
SELECT f.prompt, f.assistant, f.topic, f.title, f.citations,
       CASE WHEN f.is_now AND f.was_before THEN NULL
            WHEN NOT EXISTS (SELECT FROM asked a WHERE a.prompt = f.prompt AND a.assistant IS NOT DISTINCT FROM f.assistant) THEN NULL
            WHEN f.is_now THEN 'new' ELSE 'gone' END AS change, p.reason, concat_ws(' ', p.refusal, p.notice) AS notice
  FROM pair p LEFT JOIN found f ON true
 ORDER BY f.citations DESC, f.prompt, f.assistant
