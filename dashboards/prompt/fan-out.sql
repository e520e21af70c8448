-- Title: What they search for
-- Question: Which searches does each assistant make before it answers this prompt?
-- Chart: table
-- Empty: No search for this prompt in this week matches the filters.
-- Computed: Searches before answers to the prompt in the week, by assistant and query.
-- Datasets: ai_search_fan_out
-- Variables: account, persona, intent, prompt_group, prompt, assistant, country, week
-- Order: 40
SELECT f.assistant, f.query, f.place AS position, f.searches,
       coalesce(s.reason, CASE WHEN f.query IS NULL THEN search_reports.unasked_of('fan_out', :choices, s.week) END) AS reason, s.notice
  FROM search_reports.shown_weeks('ai_search_fan_out', :account::bigint, :week::text || '..' || :week::text) AS s
  LEFT JOIN LATERAL search_reports.searches_for(:choices, s.week) AS f ON true
 ORDER BY f.assistant, f.place, f.searches DESC, f.query
