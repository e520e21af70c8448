-- Title: Cited, but not ranking
-- Question: Which of our pages do assistants cite although no tracked search finds them?
-- Chart: table
-- Links: url = page
-- Note: Newest weeks of citations and rankings. URLs are compared without scheme, www. and trailing slash.
-- Empty: All our cited pages also rank.
-- Computed: Our cited URLs (attributed to You) that are not among the URLs of our own domains in the rankings.
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, web_property, assistant, country, weeks
-- Order: 110
SELECT url, citations, assistants, reason, notice
  FROM search_reports.cited_and_ranking(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :weeks::text, 'cited')
 ORDER BY citations DESC, url
