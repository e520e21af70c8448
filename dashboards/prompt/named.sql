-- Title: Whether they name us
-- Question: In how many answers to this prompt does each assistant name one of our brands, week by week?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Note: One prompt has few answers per week: check the number of answers before you call it a change.
-- Empty: No week is published.
-- Computed: Answers to the prompt that name a brand attributed to You, divided by all answers to it, joined as on the board AI visibility. If brands and
--   answers do not match there is a gap that says why. Weeks in which it was asked in other places or languages, or as other personas, are not compared.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, persona, intent, prompt_group, prompt, assistant, country, weeks
-- Order: 20
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_response,ai_search_brands}', :account::bigint, NULL, :assistant::text[], :country::text[], NULL, :weeks::text)
), answers AS (
  SELECT n.*, lag(n.asked) OVER weeks AS asked_before, count(*) OVER alike < count(*) OVER all_weeks AS is_moving
    FROM (SELECT min(week) AS first, max(week) AS last FROM frame) AS s
   CROSS JOIN LATERAL search_reports.named_in_answers(:account::bigint, NULL, :assistant::text[], :country::text[], :prompt::text, NULL, s.first, s.last,
                                                    :persona::text[], :intent::text[], :prompt_group::text[]) AS n
    LEFT JOIN frame f ON f.week = n.week
  WINDOW all_weeks AS (PARTITION BY n.assistant, f.gap IS NULL), weeks AS (all_weeks ORDER BY n.week),
         alike AS (PARTITION BY n.assistant, f.gap IS NULL, n.asked)
), joins AS (
  SELECT * FROM search_reports.joined_brands(:account::bigint, ARRAY(SELECT week FROM frame))
)
SELECT f.week, k.assistant, CASE WHEN g.gap IS NULL THEN round(100.0 * a.naming / a.answers, 1) END AS percent,
       CASE WHEN g.gap IS NULL THEN a.naming END AS answers_naming_us, a.answers,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, r.lost, l.change, CASE WHEN a.asked <> a.asked_before
         THEN format('not comparable with the weeks before: asked as %s, before as %s', a.asked, a.asked_before) END), '')) AS reason,
       CASE WHEN g.gap IS NULL THEN concat_ws(', ', l.question, r.lost, CASE WHEN a.is_moving THEN 'asked as ' || a.asked END) END AS question
  FROM frame f LEFT JOIN (SELECT DISTINCT assistant FROM answers) AS k ON true
  LEFT JOIN answers a ON a.week = f.week AND a.assistant = k.assistant
  LEFT JOIN joins j ON j.week = f.week AND j.assistant = k.assistant
 CROSS JOIN LATERAL search_reports.line(search_reports.of_one_thing(f.asked),
       jsonb_build_object('assistant', k.assistant, 'prompt', :prompt::text, 'persona', :persona::text[], 'intent', :intent::text[],
                          'prompt_group', :prompt_group::text[]),
       a.naming > 0) AS l
 CROSS JOIN LATERAL (SELECT CASE WHEN a.lost > 0 THEN 'rows of own brands that found no answer: ' || a.lost END AS lost) AS r
 CROSS JOIN LATERAL (SELECT coalesce(f.gap, j.gap, l.unasked, CASE WHEN a.answers IS NULL THEN 'no answer'
                                                                  WHEN a.naming = 0 AND a.lost > 0 THEN 'rows of own brands found no answer' END) AS gap) AS g
 ORDER BY k.assistant, f.week
