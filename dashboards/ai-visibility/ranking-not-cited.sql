-- Title: Ranking, but not cited
-- Question: Which of our pages rank although no assistant cites them?
-- Chart: table
-- Note: Newest weeks of citations and rankings. URLs are compared without scheme, www. and a slash at the end.
-- Empty: Every page of ours that ranks is cited, too; or no citation is attributed to You.
-- Computed: URLs of our own domains in the rankings that are not among our cited URLs (attributed to You).
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, web_property, assistant, country
-- Order: 120
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
SELECT r.url, r.best_place, r.searches,
       (SELECT nullif(concat_ws(' ', search_reports.week_notice('ai_search_citations', :account::bigint, cited),
                                search_reports.week_notice('keyword_rankings', :account::bigint, ranked)), '') FROM newest) AS notice
  FROM ranked r
 WHERE NOT EXISTS (SELECT FROM cited c WHERE c.url = r.url) AND EXISTS (SELECT FROM cited)
 ORDER BY r.best_place, r.searches DESC, r.url
 LIMIT 100
