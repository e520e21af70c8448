-- Title: Assistants search for it, too
-- Question: For which prompts do assistants search for exactly these words?
-- Chart: table
-- Links: prompt
-- Empty: No assistant searched for these words in the newest week with such searches.
-- Computed: Searches of assistants whose query is the keyword, ignoring case, in the newest week that has figures.
-- Datasets: ai_search_fan_out
-- Variables: account, keyword, country, weeks
-- Order: 80
SELECT f.prompt, f.assistant, f.searches, s.reason, s.notice
  FROM search_reports.shown_weeks('ai_search_fan_out', :account::bigint, :weeks::text) AS s
  LEFT JOIN LATERAL search_reports.searches_for(:choices, s.week) AS f ON true
 ORDER BY f.searches DESC, f.prompt, f.assistant
