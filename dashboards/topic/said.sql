-- Title: What is said
-- Question: What do answers on this topic say about brands in the newest week?
-- Chart: table
-- Links: prompt, source = site
-- Note: The first 300, the negative ones first.
-- Empty: Nothing is said about any brand on this topic in the newest week.
-- Computed: Sentiments in answers on the topic with a snippet.
-- Datasets: ai_search_sentiments
-- Variables: account, topic, web_property, assistant, country, weeks
-- Order: 40
WITH pair AS (
  SELECT *
    FROM search_reports.ai_pair('{ai_search_sentiments}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :weeks::text,
                                'none')
), said AS (
  SELECT s.place, s.brand, s.sentiment, s.snippet, s.score, s.category, s.assistant, s.prompt, s.source
    FROM pair p CROSS JOIN LATERAL search_reports.said_in(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :topic::text,
                                                                  p.week) AS s
   WHERE s.snippet <> '' ORDER BY s.place LIMIT 300
)
SELECT s.brand, s.sentiment, s.snippet, s.score, s.category, s.assistant, s.prompt, s.source, p.reason,
       p.notice
  FROM pair p LEFT JOIN said s ON true
 ORDER BY s.place
