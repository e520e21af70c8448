-- Title: What assistants search for
-- Question: Which searches do assistants make before they answer our prompts?
-- Chart: table
-- Note: The newest week with such searches.
-- Empty: No assistant searched anything in the newest week.
-- Computed: Queries of assistants by how often they were made, with the sum of their amount_of_searches.
-- Datasets: ai_search_fan_out
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 90
WITH pair AS (
  SELECT *
    FROM search_reports.ai_pair('{ai_search_fan_out}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                :weeks::text)
), shown AS (
  SELECT coalesce(f.query, '(none)') AS query, f.times, f.amount_of_searches, f.assistants
    FROM pair p
   CROSS JOIN LATERAL search_reports.fan_out_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                                ARRAY[p.week]) AS f ORDER BY times DESC, amount_of_searches DESC, query LIMIT 50
)
SELECT CASE WHEN s.times > 0 THEN p.week END AS week, s.*, p.reason, p.notice
  FROM pair p LEFT JOIN shown s ON true
 ORDER BY s.times DESC, s.amount_of_searches DESC, s.query
