-- Title: News
-- Question: What changed, by how much, and in which searches and prompts?
-- Chart: table
-- Headline: what, details
-- Links: measure = why, assistant = ai-visibility
-- Leads: details
-- Changes: points
-- Empty: A quiet week: in no search and no prompt that both weeks have did anything change.
-- Computed: Of searches and prompts that both weeks have: keywords that won or lost first places, prompts whose answers began or
--   stopped naming us, by assistant, and assistants whose criticism changed by more than chance (Benjamini and Hochberg at 5 % over all
--   of them). The largest first: points is what they add to the figure. Three are named; the board Why has all. Filters of searches
--   choose searches, filters of answers choose prompts.
-- Datasets: all
-- Variables: account, web_property, engine, country, device, keyword_group, assistant, branded, topics, weeks, compare, top_n,
--   weighted, rank
-- Order: 100
WITH news AS (
  SELECT p.week, 'visibility' AS measure, n.what, NULL AS assistant, n.details, n.points
    FROM search_reports.measure_pair('visibility', :account::bigint, :weeks::text, :compare::text) AS p
   CROSS JOIN LATERAL search_reports.search_news(:choices, p.week, p.before) AS n WHERE p.before IS NOT NULL
  UNION ALL
  SELECT p.week, 'mention_rate', n.what, n.assistant, n.details, n.points
    FROM search_reports.measure_pair('mention_rate', :account::bigint, :weeks::text, :compare::text) AS p
   CROSS JOIN LATERAL search_reports.prompt_news(:choices, p.week, p.before) AS n WHERE p.before IS NOT NULL
  UNION ALL
  SELECT p.week, 'criticism', n.what, n.assistant, n.details, n.points
    FROM search_reports.measure_pair('criticism', :account::bigint, :weeks::text, :compare::text) AS p
   CROSS JOIN LATERAL search_reports.criticism_news(:choices, p.week, p.before) AS n WHERE p.before IS NOT NULL
)
SELECT week, what, details, round(points, 3) AS points, measure, assistant FROM news ORDER BY abs(news.points) DESC, what
