-- Title: Our most cited pages
-- Question: Which of our pages do assistants cite?
-- Chart: table
-- Links: url = page
-- Changes: change
-- Note: The newest week with citations, and how many more or fewer there were than in the week before it, where both answer the same question.
-- Empty: No such page is cited in the newest week.
-- Computed: Citations by URL, without scheme, www. and a slash at the end; ours are those attributed to You. The percent is of all citations of
--   our pages in that week, listed or not.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks, compare
-- Order: 50
WITH pair AS (
  SELECT *
    FROM search_reports.ai_pair('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                :weeks::text, :compare::text)
), shown AS (
  SELECT coalesce(url, '(no page)') AS url, citations, citations - c.before AS change,
         round(100.0 * citations / sum(citations) OVER (), 1) AS percent_of_our_citations, site, attribution
    FROM pair p
   CROSS JOIN LATERAL search_reports.cited_pages_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, p.week,
                                                    p.before) AS c
   WHERE is_ours
   ORDER BY citations DESC, url
   LIMIT 50
)
SELECT s.*, CASE WHEN s.citations > 0 THEN p.week END AS week,
       CASE WHEN s.citations IS NULL THEN coalesce(p.reason, search_reports.unasked_values(p.asked, 'citation_attributions', '{you}')) END AS reason,
       concat_ws(' ', p.notice, p.refusal, CASE WHEN s.citations > 0 THEN initcap(left(search_reports.unasked_values(p.asked, 'citation_attributions', '{you}'),
                                                                                       1)) || substr(search_reports.unasked_values(p.asked,
                                                                                       'citation_attributions', '{you}'), 2) || '.' END) AS notice
  FROM pair p LEFT JOIN shown s ON true
 ORDER BY s.citations DESC, s.url
