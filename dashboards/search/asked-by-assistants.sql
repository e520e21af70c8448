-- Title: Assistants search for it, too
-- Question: For which prompts do assistants search for exactly these words?
-- Chart: table
-- Links: prompt
-- Empty: No assistant searched for these words in the newest week with such searches.
-- Computed: Searches of assistants whose query is the keyword, ignoring case, in the newest week that has figures.
-- Datasets: ai_search_fan_out
-- Variables: account, keyword, country, weeks
-- Order: 80
WITH pair AS (
  SELECT * FROM search_reports.ai_pair('{ai_search_fan_out}', :account::bigint, NULL, NULL, :country::text[], NULL, :weeks::text, 'none')
)
SELECT s.prompt, s.assistant, s.searches, p.reason, p.notice
  FROM pair p LEFT JOIN LATERAL search_reports.searches_for(:account::bigint, NULL, :country::text[], NULL, :keyword::text, p.week) AS s ON p.week IS NOT NULL
 ORDER BY s.searches DESC, s.prompt, s.assistant
