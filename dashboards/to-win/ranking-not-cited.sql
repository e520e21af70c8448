-- Title: Ranking, but not cited
-- Question: Which of our pages rank although no assistant cites them?
-- Chart: table
-- Links: url = page
-- Note: The rule: a page of ours that a tracked search finds and no answer cites, in the newest weeks of both; prompts of all kinds.
-- Empty: All our ranking pages are also cited.
-- Computed: URLs of our own domains in the rankings that are not among our cited URLs (attributed to You, or of our domains). A URL
--   is one page whatever its scheme, www., port, fragment and tracking parameters.
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, web_property, assistant, country, weeks
-- Order: 40
SELECT url, best_place, searches, reason, notice
  FROM search_reports.cited_and_ranking(:choices, :weeks::text)
 WHERE citations IS NULL OR url IS NULL
 ORDER BY best_place, searches DESC, url
