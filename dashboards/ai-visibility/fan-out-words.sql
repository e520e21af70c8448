-- Title: Themes of these searches
-- Question: Which words come up in what assistants search for?
-- Chart: bar
-- X: word
-- Y: times
-- Unit: searches
-- Note: Over all weeks chosen. Words of fewer than three letters, and the commonest English ones, are left out.
-- Computed: Each search counts once for each different word in it.
-- Datasets: ai_search_fan_out
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 100
WITH frame AS (
  SELECT week, gap, note FROM search_reports.newest_weeks('ai_search_fan_out', :account::bigint, :weeks::integer)
), queries AS (
  SELECT query, sum(row_count) AS times
    FROM search_reports.ai_fan_out
   WHERE account_id = :account::bigint AND week >= (SELECT min(week) FROM frame)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR prompt_type = :branded::text)
   GROUP BY 1
)
SELECT word, sum(times) AS times, count(*) AS different_searches,
       (SELECT string_agg(format('Week of %s: %s.', week, coalesce('left out, ' || gap, note)), ' ' ORDER BY week) FROM frame WHERE gap IS NOT NULL OR note IS NOT NULL) AS notice
  FROM queries
 CROSS JOIN LATERAL (SELECT DISTINCT word FROM regexp_split_to_table(lower(query), '[^[:alnum:]]+') AS word
                      WHERE length(word) > 2 AND word NOT IN ('the', 'and', 'for', 'with', 'are', 'what', 'which', 'how', 'from', 'that')) AS words
 GROUP BY word
 ORDER BY times DESC, word
 LIMIT 20
