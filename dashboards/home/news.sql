-- Title: News
-- Question: What changed, by how much, and in which searches and prompts?
-- Chart: news
-- X: details
-- Y: points
-- Links: measure = why, assistant = why, competitor = rivals
-- Changes: points
-- Empty: In no search and no prompt that both weeks have did anything change.
-- Computed: Of searches and prompts that both weeks have: keywords that won or lost first places; prompts whose answers began or stopped
--   naming us, by assistant; rivals (competitors and the ten largest sites of either week) whose share of the first places changed by more
--   than chance (Benjamini and Hochberg at 5 % over all of them), with the keywords that one took from the other; pages of ours that
--   answers began or stopped citing (at least twice in one of the weeks); and assistants whose criticism changed by more than chance
--   (likewise), with sentences that no week before had. Back: a figure of which at most a fifth of its steepest fall in these weeks is
--   missing, of which more was missing before; a fall that may be chance is none. The largest first: points is what they add to the
--   figure, for a rival its own change. Three are named; the board Why has all. reading says whether the whole change of the figure is
--   more than chance, for prompts that of the assistant. Filters of searches choose searches, filters of answers choose prompts.
-- Datasets: all
-- Variables: account, web_property, engine, country, device, keyword_group, assistant, branded, topics, weeks, compare, top_n,
--   weighted, rank
-- Order: 100
SELECT week, what, details, round(points, 3) AS points, measure, assistant, competitor, reading
  FROM search_reports.news(:choices, :weeks::text, :compare::text) AS n
 ORDER BY abs(n.points) DESC NULLS LAST, what
