-- Title: What they search for
-- Question: Which searches does each assistant make before it answers this prompt?
-- Chart: table
-- Empty: No searches are known for this prompt in this week.
-- Computed: Rows of ai_search_fan_out of the prompt in the week, by assistant and query.
-- Datasets: ai_search_fan_out, ai_search_response
-- Variables: account, prompt, assistant, country, week
-- Order: 40
WITH frame AS (
  SELECT coalesce(:week::date, max(week)) AS week
    FROM search_reports.weeks
   WHERE dataset = 'ai_search_response' AND account_id = :account::bigint AND is_published
)
SELECT q.ai_search_engine AS assistant, q.fan_out_query AS query, min(q.fan_out_query_position) AS position, sum(q.amount_of_searches) AS searches
  FROM search.ai_search_fan_out q
 WHERE q.account_id = :account::bigint AND q.prompt = :prompt::text
   AND q.time_period_start BETWEEN (SELECT week FROM frame) AND (SELECT week + 6 FROM frame)
   AND (:assistant::text IS NULL OR q.ai_search_engine = :assistant::text)
   AND (:country::text IS NULL OR search_reports.country_of(q.locode) = :country::text)
 GROUP BY q.ai_search_engine, q.fan_out_query
 ORDER BY assistant, position, searches DESC, query
