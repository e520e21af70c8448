-- Title: Topics
-- Question: On which topics do assistants name us more often, and on which less?
-- Chart: movers
-- Links: topic
-- X: topic
-- Y: percent_before, percent_now
-- Changes: change
-- Beside: change, More often, Less often
-- Measure: mention_rate
-- From: ai-visibility/topic-gap
-- Empty: Assistants name us on every topic as often as before.
-- Computed: The mention rate of each topic in both weeks, and its change like for like: over the prompts on the topic that both weeks
--   have. reading says whether it stands after Benjamini and Hochberg at 5 % over all topics; a topic of which fewer than six prompts
--   changed has none, and comes last.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, web_property, assistant, country, branded, topics, weeks, compare
-- Order: 140
WITH pair AS MATERIALIZED (
  SELECT * FROM search_reports.measure_pair('mention_rate', :account::bigint, :weeks::text, :compare::text)
), tested AS MATERIALIZED (
  SELECT c.*, search_reports.chance_of(c.like_for_like, c.noise, c.observations) AS chance
    FROM pair p CROSS JOIN LATERAL search_reports.changes('mention_rate', 'topic', :choices, p.week, p.before) AS c
   WHERE p.before IS NOT NULL AND c.kept > 0
)
SELECT CASE WHEN t.line IS NOT NULL THEN p.week END AS week, t.line AS topic, round(t.level_before, 1) AS percent_before,
       round(t.level, 1) AS percent_now, round(t.like_for_like, 1) AS change, t.kept AS prompts_of_both,
       CASE WHEN t.chance <= c.cut THEN t.reading WHEN t.chance IS NOT NULL THEN 'within noise' END AS reading,
       coalesce(p.reason, p.refusal, CASE WHEN NOT EXISTS (SELECT FROM tested)
                               THEN 'No topic has answers to the same prompts in both weeks.' END) AS reason, p.notice
  FROM pair p CROSS JOIN (SELECT search_reports.chance_cut(array_agg(chance)) AS cut FROM tested) AS c
  LEFT JOIN tested t ON round(t.like_for_like, 1) <> 0
 ORDER BY t.like_for_like > 0 DESC, (t.chance IS NULL) = (t.like_for_like > 0), t.like_for_like DESC, t.line
