-- Title: Assistants search for it, too
-- Question: For which prompts do assistants search for exactly these words?
-- Chart: table
-- Links: prompt
-- Empty: No assistant searched for these words in the newest week with such searches.
-- Computed: Searches of assistants whose query is the keyword, ignoring case, in the newest week that has figures.
-- Datasets: ai_search_fan_out
-- Variables: account, keyword, country, weeks
-- Order: 80
WITH weeks AS (
  SELECT w.*, max(w.week) FILTER (WHERE w.gap IS NULL) OVER () AS newest
    FROM search_reports.newest_weeks('ai_search_fan_out', :account::bigint, :weeks::text) AS w
), newest AS (
  SELECT max(newest) AS week,
         string_agg(format('The week of %s is left out: %s.', week, gap),
           ' ' ORDER BY week) FILTER (WHERE newest IS NULL OR week > newest) AS others
    FROM weeks
)
SELECT s.prompt, s.assistant, s.searches,
       CASE WHEN n.week IS NULL THEN coalesce(n.others,
         search_reports.no_week('ai_search_fan_out', :account::bigint, :weeks::text)) END AS reason,
       concat_ws(' ', 'Week of ' || n.week || '.', n.others) AS notice
  FROM newest n
  LEFT JOIN LATERAL search_reports.searches_for(:account::bigint, NULL, :country::text[], NULL, :keyword::text,
        n.week) AS s ON n.week IS NOT NULL
 ORDER BY s.searches DESC, s.prompt, s.assistant
