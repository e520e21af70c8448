-- Title: How they speak of brands
-- Question: What do the answers say about each brand, and what are their sources?
-- Chart: table
-- Links: source = site, url = page
-- Empty: No answer to this prompt that matches the filters says anything about a brand in this week.
-- Computed: Sentiments in answers to the prompt in the week, the negative ones first.
-- Datasets: ai_search_sentiments
-- Variables: account, persona, intent, prompt_group, prompt, assistant, country, week
-- Order: 50
SELECT c.brand, c.sentiment, c.snippet, c.score, c.category, c.assistant, c.source, c.url,
       coalesce(s.reason, CASE WHEN c.place IS NULL THEN search_reports.unasked_of('sentiments', :choices, s.week) END) AS reason, s.notice
  FROM search_reports.shown_weeks('ai_search_sentiments', :account::bigint, :week::text || '..' || :week::text) AS s
  LEFT JOIN LATERAL search_reports.said(:choices, s.week) AS c ON true
 ORDER BY c.place
