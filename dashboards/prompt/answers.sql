-- Title: The answers
-- Question: What does each assistant answer, and what has changed?
-- Chart: text
-- Y: answer, answer_before
-- Note: If there are several answers in one week, the newest is shown; at most 100 in total. Brand names are found in the text as written,
--   ignoring case, but not within addresses.
-- Empty: No answer to this prompt in these weeks matches the filters.
-- Computed: Answers to the prompt, by assistant, place, language, persona and web property, beside those of the compared week, with the
--   words that were added and removed. Our brands are those attributed to You in any week; rivals are other brands with a sentiment in
--   answers to the prompt. Pages cited newly or no more are those that the answers of one of the weeks cite and not those of the other,
--   where all citations of both are known.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations, ai_search_sentiments
-- Variables: account, persona, intent, prompt_group, prompt, assistant, country, week, before
-- Order: 10
WITH shown AS (
  SELECT * FROM search_reports.shown_weeks('ai_search_response', :account::bigint, :week::text || '..' || :week::text, :before::text)
), answers AS (
  SELECT a.assistant, a.locode, a.language, a.persona, a.web_property, s.week AS this_week, s.before AS other_week,
         max(a.collected) FILTER (WHERE a.week = s.week) AS collected, max(a.answer) FILTER (WHERE a.week = s.week) AS answer,
         max(a.answer) FILTER (WHERE a.week = s.before) AS answer_before, max(a.cited) FILTER (WHERE a.week = s.week) AS cited,
         max(a.cited) FILTER (WHERE a.week = s.before) AS cited_before
    FROM shown s CROSS JOIN LATERAL search_reports.answers_to(:choices, ARRAY[s.week, s.before]) AS a GROUP BY 1, 2, 3, 4, 5, 6, 7
), asked AS (
  SELECT p.week, p.assistant
    FROM shown s CROSS JOIN LATERAL search_reports.prompts(:choices, ARRAY[s.week, s.before]) AS p WHERE 'response' = ANY (p.asked)
)
SELECT a.*, CASE WHEN a.this_week IS NOT NULL THEN b.ours END AS our_brands,
       CASE WHEN a.this_week IS NOT NULL THEN b.rivals END AS rival_brands,
       coalesce(s.reason, CASE WHEN a.this_week IS NULL THEN search_reports.unasked_of('response', :choices, s.week) END,
                CASE WHEN (l.week, a.assistant) IN (SELECT * FROM asked) THEN 'No answer in ' ELSE 'Not asked for in ' END
                || CASE l.week WHEN s.week THEN 'this week.' WHEN s.before THEN 'the week compared with.' END) AS reason, s.notice
  FROM shown s LEFT JOIN answers a ON true CROSS JOIN LATERAL search_reports.brands_around(:choices, ARRAY[s.week, s.before]) AS b
 CROSS JOIN LATERAL (SELECT CASE WHEN a.answer IS NULL THEN a.this_week WHEN a.answer_before IS NULL THEN s.before END AS week) AS l
 ORDER BY a.assistant, a.locode, a.language, a.persona, a.web_property
 LIMIT 100
