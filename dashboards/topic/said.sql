-- Title: What is said
-- Question: What do answers on this topic say about brands in the newest week?
-- Chart: table
-- Links: prompt, source = site
-- Note: The negative ones first.
-- Empty: Nothing is said about any brand on this topic in this week.
-- Computed: Sentiments in answers on the topic with a snippet.
-- Datasets: ai_search_sentiments
-- Variables: account, topic, web_property, assistant, country, weeks
-- Order: 40
SELECT c.brand, c.sentiment, c.snippet, c.score, c.category, c.assistant, c.prompt, c.source,
       coalesce(s.reason, CASE WHEN c.place IS NULL THEN search_reports.unasked_of('sentiments', :choices, s.week) END) AS reason, s.notice
  FROM search_reports.shown_weeks('ai_search_sentiments', :account::bigint, :weeks::text) AS s
  LEFT JOIN LATERAL search_reports.said(:choices, s.week) AS c ON c.snippet <> ''
 ORDER BY c.place
