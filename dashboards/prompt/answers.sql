-- Title: The answers
-- Question: What does each assistant answer, and what has changed?
-- Chart: text
-- Y: answer, answer_before
-- Note: If there are several answers in one week, the newest is shown; at most 100 in total. Brand names are found in the text as written, ignoring case, but not within addresses.
-- Empty: No answer to this prompt in these weeks matches the filters.
-- Computed: Answers to the prompt, by assistant, place, language, persona and web property, beside those of the compared week. Our brands are those
--   attributed to You in these weeks; rivals are other brands with a sentiment in answers to the prompt.
-- Datasets: ai_search_response, ai_search_brands, ai_search_sentiments
-- Variables: account, persona, intent, prompt_group, prompt, assistant, country, week, before
-- Order: 10
WITH pair AS (
  SELECT *
    FROM search_reports.prompt_pair('ai_search_response', :account::bigint, :assistant::text[], :country::text[], :prompt::text,
                                    :persona::text[], :intent::text[], :prompt_group::text[], :week::date, :before::date)
), answers AS (
  SELECT a.assistant, a.locode, a.language, a.persona, a.web_property, max(a.collected) FILTER (WHERE a.week = p.week) AS collected,
         max(a.answer) FILTER (WHERE a.week = p.week) AS answer, max(a.answer) FILTER (WHERE a.week = p.before) AS answer_before
    FROM pair p
   CROSS JOIN LATERAL search_reports.answers_to(:account::bigint, :assistant::text[], :country::text[], :prompt::text, ARRAY[p.week, p.before],
                                               :persona::text[], :intent::text[], :prompt_group::text[]) AS a
   GROUP BY 1, 2, 3, 4, 5
)
SELECT a.*, CASE WHEN a.assistant IS NOT NULL THEN b.ours END AS our_brands, CASE WHEN a.assistant IS NOT NULL THEN b.rivals END AS rival_brands,
       coalesce(p.reason, CASE WHEN num_nonnulls(a.assistant, a.answer, a.answer_before) = 0 THEN NULL
                WHEN a.answer IS NULL THEN 'No answer in this week.' WHEN a.answer_before IS NULL
                AND p.before IS NOT NULL THEN coalesce(p.refusal, 'No answer in the week compared with.') END) AS reason, p.notice
  FROM pair p LEFT JOIN answers a ON true
 CROSS JOIN LATERAL search_reports.brands_around(:account::bigint, :prompt::text, ARRAY[p.week, p.before]) AS b
 ORDER BY a.assistant, a.locode, a.language, a.persona, a.web_property
 LIMIT 100
