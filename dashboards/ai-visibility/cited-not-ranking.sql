-- Title: Cited, but not ranking
-- Question: Which of our pages do assistants cite although no tracked search finds them?
-- Chart: table
-- Links: url = page
-- Note: Newest weeks of citations and rankings. URLs are compared without scheme, www. and a slash at the end.
-- Empty: Every page of ours that is cited ranks, too.
-- Computed: Our cited URLs (attributed to You) that are not among the URLs of our own domains in the rankings.
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, web_property, assistant, country, weeks
-- Order: 110
WITH pages AS (
  SELECT *
    FROM search_reports.cited_and_ranking(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :weeks::text)
), shown AS (
  SELECT url, citations, assistants
    FROM pages
   WHERE citations > 0 AND searches IS NULL
   ORDER BY citations DESC, url
   LIMIT 100
)
SELECT s.*, p.reason, p.notice
  FROM (SELECT reason, notice FROM pages LIMIT 1) AS p LEFT JOIN shown s ON true
 ORDER BY s.citations DESC, s.url
