-- Title: Citations
-- Question: Which pages do the answers cite, and which are new or gone?
-- Chart: table
-- Links: site, url = page
-- Why: change = citation_share
-- Empty: No answer to this prompt that matches the filters cites anything in these weeks.
-- Computed: Citations in answers to the prompt in the week and in the compared week, by assistant and page. A page is called new or gone
--   where the assistant was asked for the same places, languages, personas and web properties in both weeks.
-- Datasets: ai_search_citations
-- Variables: account, persona, intent, prompt_group, prompt, assistant, country, week, before
-- Order: 30
WITH shown AS (
  SELECT * FROM search_reports.shown_weeks('ai_search_citations', :account::bigint, :week::text || '..' || :week::text, :before::text)
), alike AS (
  SELECT u.assistant
    FROM (SELECT p.assistant, count(*) AS weeks
            FROM shown s CROSS JOIN LATERAL search_reports.prompts(:choices, ARRAY[s.week, s.before]) AS p
           WHERE p.citations IS NOT NULL GROUP BY p.assistant, p.unit) AS u
   GROUP BY 1 HAVING min(u.weeks) = 2
), found AS (
  SELECT CASE WHEN NOT EXISTS (SELECT FROM alike a WHERE a.assistant IS NOT DISTINCT FROM c.assistant) THEN NULL
              WHEN bool_and(c.week = s.week) THEN 'new' WHEN bool_and(c.week = s.before) THEN 'gone' END AS change,
         c.assistant, c.site, c.url, max(c.title) AS title, max(c.attribution) AS attribution,
         coalesce(sum(c.citations) FILTER (WHERE c.week = s.week), 0) AS citations
    FROM shown s CROSS JOIN LATERAL search_reports.cited(:choices, ARRAY[s.week, s.before]) AS c GROUP BY c.assistant, c.site, c.url
)
SELECT f.*, CASE WHEN f.citations IS NOT NULL THEN coalesce(f.attribution, '') = 'you' END AS is_ours,
       coalesce(s.reason, CASE WHEN f.citations IS NULL THEN search_reports.unasked_of('citations', :choices, s.week) END) AS reason,
       s.notice
  FROM shown s LEFT JOIN found f ON true
 ORDER BY f.assistant, f.citations DESC, f.site, f.url
