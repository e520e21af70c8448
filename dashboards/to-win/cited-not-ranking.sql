-- Title: Cited, but not ranking
-- Question: Which of our pages do assistants cite although no tracked search finds them?
-- Chart: table
-- Links: url = page
-- Note: The rule: a page of ours that an answer cites and no tracked search finds, in the newest weeks of both; prompts of all kinds.
-- Empty: All our cited pages also rank.
-- Computed: Our cited URLs (attributed to You, or of our domains) that are not among the URLs of our own domains in the rankings. A
--   URL is one page whatever its scheme, www., port, fragment and tracking parameters.
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, web_property, assistant, country, weeks
-- Order: 50
SELECT url, citations, assistants, reason, notice
  FROM search_reports.cited_and_ranking(:choices, :weeks::text)
 WHERE searches IS NULL OR url IS NULL
 ORDER BY citations DESC, url
