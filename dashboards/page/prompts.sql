-- Title: Answers that cite it
-- Question: For which prompts do answers cite this page, and for which no longer?
-- Chart: table
-- Links: prompt, topic
-- Empty: No answer cites this page in either week.
-- Computed: Rows of ai_search_citations whose URL is this page, by prompt and assistant, in the newest week and the compared week. If these cannot be
--   compared, none is called new or gone.
-- Datasets: ai_search_citations
-- Variables: account, page, web_property, assistant, country, weeks, compare
-- Order: 40
WITH pair AS (
  SELECT *
    FROM search_reports.ai_pair('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :weeks::text,
                                :compare::text)
), found AS (
  SELECT c.prompt, c.assistant, max(c.topic) AS topic, max(c.title) AS title, coalesce(sum(c.citations) FILTER (WHERE w.is_newer), 0) AS citations,
         CASE WHEN (SELECT before FROM pair) IS NULL OR bool_or(w.is_newer)
         AND bool_or(NOT w.is_newer) THEN NULL WHEN bool_or(w.is_newer) THEN 'new' ELSE 'gone' END AS change
    FROM pair p CROSS JOIN LATERAL (VALUES (p.week, true), (p.before, false)) AS w (week, is_newer)
   CROSS JOIN LATERAL search_reports.citations_in(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], w.week, NULL, :page::text,
                                                  NULL) AS c
   WHERE w.week IS NOT NULL
   GROUP BY 1, 2
)
SELECT f.*, p.reason, concat_ws(' ', p.refusal, p.notice) AS notice
  FROM pair p LEFT JOIN found f ON true
 ORDER BY f.citations DESC, f.prompt, f.assistant
