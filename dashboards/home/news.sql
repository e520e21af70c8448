-- Title: News
-- Question: What changed, by how much, and in which searches and prompts?
-- Chart: news
-- X: details
-- Y: points
-- Links: measure = why, assistant = why
-- Changes: points
-- Empty: Nothing changed: no search and no prompt that both weeks have won or lost anything.
-- Computed: Of searches and prompts that both weeks have: keywords that won or lost first places, prompts whose answers began or
--   stopped naming us, by assistant, and assistants whose criticism changed by more than chance (Benjamini and Hochberg at 5 % over all
--   of them). The largest first: points is what they add to the figure. Three are named; the board Why has all. reading says whether the
--   whole change of the figure is more than chance, for prompts that of the assistant. Filters of searches choose searches, filters of
--   answers choose prompts.
-- Datasets: all
-- Variables: account, web_property, engine, country, device, keyword_group, assistant, branded, topics, weeks, compare, top_n,
--   weighted, rank
-- Order: 100
WITH searches AS (
  SELECT p.* FROM search_reports.measure_pair('visibility', :account::bigint, :weeks::text, :compare::text) AS p WHERE p.before IS NOT NULL
), prompts AS (
  SELECT p.* FROM search_reports.measure_pair('mention_rate', :account::bigint, :weeks::text, :compare::text) AS p WHERE p.before IS NOT NULL
), assistants AS MATERIALIZED (
  SELECT c.line, c.reading, search_reports.chance_of(c.like_for_like, c.noise, c.observations) AS chance
    FROM prompts p CROSS JOIN LATERAL search_reports.changes('mention_rate', 'assistant', :choices, p.week, p.before) AS c
), news AS (
  SELECT p.week, 'visibility' AS measure, n.what, NULL AS assistant, n.details, n.points, c.reading
    FROM searches p CROSS JOIN LATERAL search_reports.search_news(:choices, p.week, p.before) AS n
   CROSS JOIN LATERAL search_reports.changes('visibility', NULL, :choices, p.week, p.before) AS c
  UNION ALL
  SELECT p.week, 'mention_rate', n.what, n.assistant, n.details, n.points,
         CASE WHEN a.chance <= (SELECT search_reports.chance_cut(array_agg(k.chance)) FROM assistants k) THEN a.reading
              WHEN a.chance IS NOT NULL THEN 'within noise' END
    FROM prompts p CROSS JOIN LATERAL search_reports.prompt_news(:choices, p.week, p.before) AS n
    LEFT JOIN assistants a ON a.line = n.assistant
  UNION ALL
  SELECT p.week, 'criticism', n.what, n.assistant, n.details, n.points, CASE WHEN n.points > 0 THEN 'more' ELSE 'less' END
    FROM search_reports.measure_pair('criticism', :account::bigint, :weeks::text, :compare::text) AS p
   CROSS JOIN LATERAL search_reports.criticism_news(:choices, p.week, p.before) AS n WHERE p.before IS NOT NULL
)
SELECT week, what, details, round(points, 3) AS points, measure, assistant, reading FROM news ORDER BY abs(news.points) DESC, what
