-- Title: Our most cited pages
-- Question: Which of our pages do assistants cite?
-- Chart: table
-- Links: url = page
-- Changes: change
-- Note: The newest week with citations, and the change from the week before, if both weeks answer the same question.
-- Empty: No such page is cited in the newest week.
-- Computed: Citations by URL, without scheme, www. and trailing slash; ours are those attributed to You. The percentage is of all citations of
--   our pages in that week, listed or not.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks, compare
-- Order: 50
SELECT url, citations, change, percent AS percent_of_our_citations, site, attribution, week, reason, notice
  FROM search_reports.most_cited_pages(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, :weeks::text,
                                       :compare::text, '{you}')
 ORDER BY citations DESC, url
