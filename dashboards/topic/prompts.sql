-- Title: Its prompts
-- Question: Which prompts on this topic name us, and which do not?
-- Chart: table
-- Links: prompt
-- Empty: No answer on this topic is loaded in the newest week.
-- Computed: Answers of the newest week by prompt, those that name a brand attributed to You, and the assistants that do not name one in any answer.
--   reason says how many rows of own brands of the prompt found no answer.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, topic, web_property, assistant, country, weeks
-- Order: 30
WITH pair AS (
  SELECT *
    FROM search_reports.ai_pair('{ai_search_response,ai_search_brands}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL,
                                :weeks::text, 'none')
), joins AS (
  SELECT string_agg(j.assistant || ': ' || j.gap, '; ' ORDER BY j.assistant) AS gap
    FROM pair p CROSS JOIN LATERAL search_reports.joined_brands(:account::bigint, ARRAY[p.week]) AS j WHERE j.gap IS NOT NULL
), prompts AS (
  -- Rows of own brands that found no answer may be of this prompt: it is no 0.
  SELECT n.prompt, CASE WHEN bool_and(g.is_known) OR sum(n.naming) > 0 THEN sum(n.naming) END AS answers_naming_us, sum(n.answers) AS answers,
         CASE WHEN bool_and(g.is_known) OR sum(n.naming) > 0 THEN round(100.0 * sum(n.naming) / sum(n.answers), 1) END AS percent,
         string_agg(n.assistant, ', ' ORDER BY n.assistant) FILTER (WHERE n.naming = 0 AND g.is_known) AS silent_assistants,
         nullif(concat_ws('; ', string_agg(DISTINCT n.assistant || ': ' || l.unasked, '; '),
                          'rows of own brands that found no answer: ' || nullif(sum(n.lost), 0)), '') AS lacks
    FROM pair p
   CROSS JOIN LATERAL search_reports.named_in_answers(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :topic::text, p.week,
                                                      p.week) AS n
   CROSS JOIN LATERAL search_reports.line(p.asked, jsonb_build_object('prompt', n.prompt, 'assistant', coalesce(n.assistant, '')), n.naming > 0) AS l
   CROSS JOIN LATERAL (SELECT l.unasked IS NULL AND n.lost = 0 AS is_known) AS g
   WHERE p.reason IS NULL AND (SELECT gap FROM joins) IS NULL
   GROUP BY 1
)
SELECT s.prompt, s.answers_naming_us, s.answers, s.percent, s.silent_assistants, coalesce(p.reason, j.gap, s.lacks) AS reason, p.notice
  FROM pair p CROSS JOIN joins j LEFT JOIN prompts s ON true
 ORDER BY s.percent, s.answers DESC, s.prompt
