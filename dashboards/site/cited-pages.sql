-- Title: Its pages in answers
-- Question: Which pages of this site do assistants cite in the newest week?
-- Chart: table
-- Links: url = page
-- Note: The 100 with the most citations, of prompts of all kinds.
-- Empty: No answer cites this site in the newest week.
-- Computed: Citations of the site and those below it in the newest week, by page (URL without scheme, www. and slashes at the end).
-- Datasets: ai_search_citations
-- Variables: account, site, web_property, assistant, country, weeks
-- Order: 50
SELECT g.url, g.title, g.attribution, g.citations, g.prompts, g.assistants, p.reason,
       concat_ws(' ', p.notice, CASE WHEN count(*) OVER () > 100 THEN format('100 of %s pages.', count(*) OVER ()) END) AS notice
  FROM search_reports.measure_pair('citations', :account::bigint, :weeks::text, 'none') AS p
  LEFT JOIN LATERAL (
       SELECT coalesce(c.url, '(no page)') AS url, max(c.title) AS title, max(c.attribution) AS attribution, sum(c.citations) AS citations,
              count(DISTINCT c.prompt) AS prompts, string_agg(DISTINCT c.assistant, ', ' ORDER BY c.assistant) AS assistants
         FROM search_reports.cited(:choices, ARRAY[p.week], of_site => :site::text) AS c GROUP BY 1) AS g ON true
 ORDER BY g.citations DESC, g.url
 LIMIT 100
