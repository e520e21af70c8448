-- Title: Ranking, but not cited
-- Question: Which of our pages rank although no assistant cites them?
-- Chart: table
-- Links: url = page
-- Note: Newest weeks of citations and rankings. URLs are compared without scheme, www. and trailing slash.
-- Empty: All our ranking pages are also cited.
-- Computed: URLs of our own domains in the rankings that are not among our cited URLs (attributed to You).
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, web_property, assistant, country, weeks
-- Order: 120
SELECT url, best_place, searches, reason, notice
  FROM search_reports.cited_and_ranking(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :weeks::text, 'ranking')
 ORDER BY best_place, searches DESC, url
