-- Title: How they speak of brands
-- Question: What do the answers say about each brand, and what are their sources?
-- Chart: table
-- Links: source = site, url = page
-- Empty: No answer to this prompt that matches the filters says anything about a brand in this week.
-- Computed: Sentiments in answers to the prompt in the week, the negative ones first.
-- Datasets: ai_search_sentiments
-- Variables: account, persona, intent, prompt_group, prompt, assistant, country, week
-- Order: 50
WITH pair AS (
  SELECT *
    FROM search_reports.prompt_pair('ai_search_sentiments', :account::bigint, :assistant::text[], :country::text[], :prompt::text,
                                    :persona::text[], :intent::text[], :prompt_group::text[], :week::date, NULL, true)
)
SELECT s.brand, s.sentiment, s.snippet, s.score, s.category, s.assistant, s.source, s.url, p.reason,
       p.notice
  FROM pair p
  LEFT JOIN LATERAL search_reports.said_in(:account::bigint, NULL, :assistant::text[], :country::text[], :prompt::text, NULL, p.week,
                                                :persona::text[], :intent::text[], :prompt_group::text[]) AS s ON p.week IS NOT NULL
 ORDER BY s.place
