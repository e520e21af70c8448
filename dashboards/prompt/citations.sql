-- Title: Citations
-- Question: Which pages do the answers cite, and which are new or gone?
-- Chart: table
-- Links: site, url = page
-- Empty: No answer to this prompt that matches the filters cites anything in these weeks.
-- Computed: Citations in answers to the prompt in the week and in the compared week, by assistant and page. If these cannot be compared, none is
--   called new or gone; the same holds for an assistant whose answer cites nothing in one of them, or that was asked otherwise (place, language, persona).
-- Datasets: ai_search_citations
-- Variables: account, persona, intent, prompt_group, prompt, assistant, country, week, before
-- Order: 30
WITH pair AS (
  SELECT *
    FROM search_reports.prompt_pair('ai_search_citations', :account::bigint, :assistant::text[], :country::text[], :prompt::text,
                                    :persona::text[], :intent::text[], :prompt_group::text[], :week::date, :before::date)
), asked AS (
  SELECT assistant
    FROM (SELECT a.assistant, count(DISTINCT w.week) AS weeks
            FROM pair p CROSS JOIN LATERAL (VALUES (p.week), (p.before)) AS w (week)
           CROSS JOIN LATERAL search_reports.asked_in(:account::bigint, w.week, ARRAY[:prompt::text]) AS a
           WHERE search_reports.is_chosen(a.country, :country::text[]) AND search_reports.is_chosen(a.persona, :persona::text[])
           GROUP BY a.assistant, a.way, a.web_property) AS places
   GROUP BY 1 HAVING min(weeks) = 2
), found AS (
  SELECT CASE WHEN (SELECT refusal FROM pair) IS NOT NULL OR bool_or(w.is_newer) AND bool_or(NOT w.is_newer)
                   OR NOT EXISTS (SELECT FROM asked a WHERE a.assistant IS NOT DISTINCT FROM c.assistant)
                   OR NOT (bool_or(bool_or(w.is_newer)) OVER of_assistant AND bool_or(bool_or(NOT w.is_newer)) OVER of_assistant) THEN NULL
              WHEN bool_or(w.is_newer) THEN 'new' ELSE 'gone' END AS change,
         c.assistant, c.site, c.url, max(c.title) AS title, max(c.attribution) AS attribution,
         coalesce(sum(c.citations) FILTER (WHERE w.is_newer), 0) AS citations
    FROM pair p CROSS JOIN LATERAL (VALUES (p.week, true), (CASE WHEN p.refusal IS NULL THEN p.before END, false)) AS w (week, is_newer)
   CROSS JOIN LATERAL search_reports.citations_in(:account::bigint, NULL, :assistant::text[], :country::text[], w.week, :prompt::text, NULL, NULL,
                                                :persona::text[], :intent::text[], :prompt_group::text[]) AS c
   WHERE w.week IS NOT NULL
   GROUP BY c.assistant, c.site, c.url
  WINDOW of_assistant AS (PARTITION BY c.assistant)
)
SELECT f.*, p.reason, p.notice
  FROM pair p LEFT JOIN found f ON true
 ORDER BY f.assistant, f.citations DESC, f.site, f.url
