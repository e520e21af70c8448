-- Title: Most cited pages of others
-- Question: Which pages of other sites do assistants rely on?
-- Chart: table
-- Links: url = page, site
-- Changes: change
-- Note: The newest week with citations, and the change from the week before, if both weeks answer the same question.
-- Empty: No such page is cited in the newest week.
-- Computed: Citations by URL, without scheme, www. and trailing slash; others are those not attributed to You. The percentage is of all
--   citations of other sites' pages in that week, listed or not.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks, compare
-- Order: 60
SELECT url, citations, change, percent AS percent_of_citations_of_others, site, attribution, week, reason, notice
  FROM search_reports.most_cited_pages(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, :weeks::text,
                                       :compare::text, '{partner,seo competitor,other}')
 ORDER BY citations DESC, url
