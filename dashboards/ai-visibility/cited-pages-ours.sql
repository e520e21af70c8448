-- Title: Our most cited pages
-- Question: Which of our pages do assistants cite?
-- Chart: table
-- Note: The newest week with citations, and how many more or fewer there were than in the week before it.
-- Empty: No such page is cited in the newest week.
-- Computed: Citations by URL, without scheme and www.; ours are those attributed to You. The percent is of all citations of
--   our pages in that week, listed or not.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 50
WITH frame AS (
  SELECT week FROM search_reports.newest_weeks('ai_search_citations', :account::bigint, :weeks::integer)
), newest AS (
  SELECT max(week) AS week
    FROM search_reports.ai_cited_pages
   WHERE account_id = :account::bigint AND week >= (SELECT min(week) FROM frame)
), pages AS (
  SELECT url, max(site) AS site, max(attribution) AS attribution, coalesce(sum(citations) FILTER (WHERE p.week = n.week), 0) AS citations,
         coalesce(sum(citations) FILTER (WHERE p.week < n.week), 0) AS before
    FROM newest n
    JOIN search_reports.ai_cited_pages p ON p.account_id = :account::bigint AND p.week BETWEEN n.week - 7 AND n.week
   WHERE coalesce(p.attribution, '') = 'you'
     AND (:web_property::bigint IS NULL OR p.web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR p.assistant = :assistant::text)
     AND (:country::text IS NULL OR p.country = :country::text)
     AND (:branded::text IS NULL OR p.prompt_type = :branded::text)
   GROUP BY 1
)
SELECT url, citations,
       CASE WHEN EXISTS (SELECT w.week FROM search_reports.newest_weeks('ai_search_citations', :account::bigint, NULL) w
                          WHERE w.gap IS NULL AND w.week = (SELECT week FROM newest) - 7) THEN citations - before END AS change,
       round(100.0 * citations / nullif(sum(citations) OVER (), 0), 1) AS percent_of_our_citations,
       site, attribution, (SELECT week FROM newest) AS week,
       (SELECT search_reports.week_notice('ai_search_citations', :account::bigint, week, week - 7) FROM newest) AS notice
  FROM pages
 WHERE citations > 0
 ORDER BY citations DESC, url
 LIMIT 50
