-- Title: First three places by keyword group
-- Question: In which groups are we among the first three?
-- Chart: heatmap
-- X: week
-- Y: share
-- Series: keyword_group
-- Unit: %
-- Measure: first_three
-- Note: The 25 groups with the most searches in the newest week. A search counts in each of its groups, so they overlap.
-- Computed: Searches of the group with an own result within the first three places, divided by all searches of the group: each with its
--   search volume (average_search_volume, else approximate_search_volume), or unweighted.
--   low and high are the 95 % interval of the share, as if the keywords were a sample of everything that people search for.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, weighted, rank
-- Order: 40
WITH points AS (
  SELECT l.*, first_value(coalesce(l.units, 0)) OVER (PARTITION BY l.line ORDER BY l.week DESC) AS size
    FROM search_reports.levels('first_three', 'keyword_group', :choices, :weeks::text) AS l
   WHERE l.line IS NULL OR search_reports.is_chosen(l.line, :keyword_group::text[])
), ranked AS (
  SELECT p.*, dense_rank() OVER (ORDER BY p.size DESC, p.line) AS number FROM points p
)
SELECT week, line AS keyword_group, round(level, 1) AS share, round(low, 1) AS low, round(high, 1) AS high, units AS searches,
       round(like_for_like, 2) AS like_for_like, reason, question,
       (SELECT format('25 of %s groups.', max(number)) FROM ranked HAVING max(number) > 25) AS notice
  FROM ranked
 WHERE number <= 25
 ORDER BY number, week
