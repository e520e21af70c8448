-- Title: What assistants search for
-- Question: Which searches do assistants make before they answer our prompts?
-- Chart: table
-- Note: The newest week with such searches.
-- Empty: No assistant searched anything in this week.
-- Computed: Queries of assistants by how often they were made, with the sum of their amount_of_searches.
-- Datasets: ai_search_fan_out
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 90
WITH shown AS (
  SELECT * FROM search_reports.shown_weeks('ai_search_fan_out', :account::bigint, :weeks::text)
), found AS (
  SELECT coalesce(nullif(f.query, ''), '(none)') AS query, sum(f.row_count) AS times, sum(f.amount_of_searches) AS amount_of_searches,
         string_agg(DISTINCT f.assistant, ', ' ORDER BY f.assistant) AS assistants
    FROM shown s JOIN search_reports.ai_fan_out f ON f.account_id = :account::bigint AND f.week = s.week
   WHERE search_reports.is_assistant_chosen(f.web_property_id, f.assistant, f.country,
                                            :web_property::text[], :assistant::text[], :country::text[])
     AND (:branded::text IS NULL OR f.prompt_type = :branded::text) GROUP BY 1
)
SELECT f.*, coalesce(s.reason, CASE WHEN f.query IS NULL THEN search_reports.unasked_of('fan_out', :choices, s.week) END) AS reason,
       s.notice
  FROM shown s LEFT JOIN found f ON true
 ORDER BY f.times DESC, f.amount_of_searches DESC, f.query
