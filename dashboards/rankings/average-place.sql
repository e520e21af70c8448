-- Title: Average best place by device and country
-- Question: What is our average place on each device, in each country?
-- Chart: line
-- X: week
-- Y: place
-- Series: market
-- Unit: place
-- Measure: average_place
-- Note: Lower is better. Only searches with a place of ours count: the table says how many (found), and how the searches changed that find
--   us in both
--   weeks (like_for_like).
-- Computed: Sum of the best own places, divided by the searches that have one.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, rank
-- Order: 30
SELECT week, line AS market, round(level, 2) AS place, units AS found, round(like_for_like, 2) AS like_for_like,
       round(100 * matched, 1) AS same, reason, question
  FROM search_reports.levels('average_place', 'market', :choices, :weeks::text)
 ORDER BY line, week
