-- Title: Prompts won and lost
-- Question: Which prompts does an assistant answer with our name that it did not before, and which no longer?
-- Chart: table
-- Links: prompt
-- Changes: contribution
-- Beside: contribution, Won, Lost
-- Note: Every prompt and assistant whose answers name us in a larger or a smaller share than in the week compared with, the largest contribution first.
-- Empty: Every assistant names us in answers to the same prompts as before.
-- Computed: Tracked prompts that both weeks have answers to. The contribution is what the prompt adds to the change of the mention rate like for like, in
--   points. The notice has the whole change: like for like, by prompts added and by prompts dropped.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, web_property, assistant, country, branded, topics, weeks, compare
-- Order: 15
SELECT m.prompt, m.assistant, m.country, m.part_before AS named_before, m.part AS named_now, m.whole AS answers,
       round(m.points, 2) AS contribution,
       coalesce(p.reason, CASE WHEN coalesce(c.kept, 0) = 0 THEN 'No prompt of what is chosen has answers in both weeks.' END) AS reason,
       concat_ws(' ', p.notice, format('Like for like %s points, by prompts added %s, by prompts dropped %s.',
                                       round(c.like_for_like, 2), round(c.added, 2), round(c.dropped, 2))) AS notice
  FROM search_reports.shown_weeks('mention_rate', :account::bigint, :weeks::text, :compare::text) AS p
  LEFT JOIN LATERAL search_reports.changes('mention_rate', NULL, :choices, p.week, p.before) AS c ON true
  LEFT JOIN LATERAL (
       SELECT u.*, k.prompt, k.assistant, k.country, 100 * (u.happened + u.by_weight) AS points
         FROM search_reports.contributions_by_unit('mention_rate', 'assistant', :choices, p.week, p.before) AS u
         JOIN search_reports.prompts(:choices, ARRAY[p.week]) AS k ON k.unit = u.unit AND u.happened <> 0) AS m ON true
 ORDER BY abs(m.points) DESC, m.prompt, m.assistant, m.country
