-- Title: Most cited pages of others
-- Question: Which pages of others do assistants rely on?
-- Chart: table
-- Links: url = page, site
-- Changes: change
-- Note: The newest week with citations, and how many more or fewer there were than in the week before it, where both answer the same question.
-- Empty: No such page is cited in the newest week.
-- Computed: Citations by URL, without scheme, www. and a slash at the end; others are those that are not attributed to You. The percent is of all
--   citations of pages of others in that week, listed or not.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks, compare
-- Order: 60
SELECT url, citations, change, percent AS percent_of_citations_of_others, site, attribution, week, reason, notice
  FROM search_reports.most_cited_pages(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, :weeks::text,
                                       :compare::text, '{partner,seo competitor,other}')
 ORDER BY citations DESC, url
