-- Title: What assistants search for
-- Question: Which searches do assistants make before they answer our prompts?
-- Chart: table
-- Note: The newest week with such searches.
-- Empty: No assistant searched anything in the newest week.
-- Computed: Queries of ai_search_fan_out by how often they were made, and the sum of their amount_of_searches.
-- Datasets: ai_search_fan_out
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 90
WITH frame AS (
  SELECT week FROM search_reports.newest_weeks('ai_search_fan_out', :account::bigint, :weeks::integer)
), newest AS (
  SELECT max(week) AS week
    FROM search_reports.ai_fan_out
   WHERE account_id = :account::bigint AND week >= (SELECT min(week) FROM frame)
), queries AS MATERIALIZED (
  SELECT query, sum(row_count) AS times, sum(amount_of_searches) AS amount_of_searches,
       string_agg(DISTINCT assistant, ', ' ORDER BY assistant) AS assistants
    FROM search_reports.ai_fan_out
   WHERE account_id = :account::bigint AND week = (SELECT week FROM newest)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR prompt_type = :branded::text)
   GROUP BY query
)
SELECT (SELECT week FROM newest) AS week, query, times, amount_of_searches, assistants,
       (SELECT search_reports.week_notice('ai_search_fan_out', :account::bigint, week) FROM newest) AS notice
  FROM queries
 ORDER BY times DESC, amount_of_searches DESC, query
 LIMIT 50
