-- Title: Cited, but not ranking
-- Question: Which of our pages do assistants cite although no tracked search finds them?
-- Chart: table
-- Note: Newest weeks of citations and rankings. URLs are compared without scheme, www. and a slash at the end.
-- Empty: Every page of ours that is cited ranks, too; or no ranking page is known to be ours.
-- Computed: Our cited URLs (attributed to You) that are not among the URLs of our own domains in the rankings.
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, web_property, assistant, country
-- Order: 110
WITH newest AS (
  SELECT (SELECT max(week) FROM search_reports.newest_weeks('ai_search_citations', :account::bigint, NULL) WHERE gap IS NULL) AS cited,
         (SELECT max(week) FROM search_reports.newest_weeks('keyword_rankings', :account::bigint, NULL) WHERE gap IS NULL) AS ranked
), cited AS (
  SELECT rtrim(url, '/') AS url, sum(citations) AS citations, count(DISTINCT assistant) AS assistants
    FROM search_reports.ai_cited_pages
   WHERE account_id = :account::bigint AND week = (SELECT cited FROM newest) AND attribution = 'you'
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
   GROUP BY 1
), ranked AS (
  SELECT rtrim(url, '/') AS url, sum(searches) AS searches, min(best_standard) AS best_place
    FROM search_reports.ranking_pages
   WHERE account_id = :account::bigint AND week = (SELECT ranked FROM newest)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:country::text IS NULL OR country = :country::text)
   GROUP BY 1
)
SELECT c.url, c.citations, c.assistants,
       (SELECT nullif(concat_ws(' ', search_reports.week_notice('ai_search_citations', :account::bigint, cited),
                                search_reports.week_notice('keyword_rankings', :account::bigint, ranked)), '') FROM newest) AS notice
  FROM cited c
 WHERE NOT EXISTS (SELECT FROM ranked r WHERE r.url = c.url) AND EXISTS (SELECT FROM ranked)
 ORDER BY c.citations DESC, c.url
 LIMIT 100
