-- Title: What they search for
-- Question: Which searches does each assistant make before it answers this prompt?
-- Chart: table
-- Empty: No search for this prompt in this week matches the filters.
-- Computed: Searches before answers to the prompt in the week, by assistant and query.
-- Datasets: ai_search_fan_out
-- Variables: account, persona, intent, prompt_group, prompt, assistant, country, week
-- Order: 40
WITH pair AS (
  SELECT *
    FROM search_reports.prompt_pair('ai_search_fan_out', :account::bigint, :assistant::text[], :country::text[], :prompt::text,
                                    :persona::text[], :intent::text[], :prompt_group::text[], :week::date, NULL, true)
)
SELECT s.assistant, s.query, s.place AS position, s.searches, p.reason, p.notice
  FROM pair p
  LEFT JOIN LATERAL search_reports.searches_for(:account::bigint, :assistant::text[], :country::text[], :prompt::text, NULL, p.week,
                                                     :persona::text[], :intent::text[], :prompt_group::text[]) AS s ON p.week IS NOT NULL
 ORDER BY s.assistant, s.place, s.searches DESC, s.query
