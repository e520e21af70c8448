-- Title: Our visibility by search engine
-- Question: How much of the first places do we hold in each search engine?
-- Chart: line
-- X: week
-- Y: share
-- Series: engine
-- Unit: %
-- Measure: visibility
-- Computed: What our results hold of the first places of the tracked searches, each weighted by search volume (average_search_volume, else
--   approximate_search_volume) or by 1. like_for_like is the change against the week before over the searches that both weeks have, same
--   how much of
--   the whole these are, in percent.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, top_n, weighted, rank
-- Order: 35
SELECT week, line AS engine, round(level, 2) AS share, round(low, 1) AS low, round(high, 1) AS high, units AS searches,
       round(like_for_like, 2) AS like_for_like, round(100 * matched, 1) AS same, reason, question
  FROM search_reports.levels('visibility', 'engine', :choices, :weeks::text)
 ORDER BY line, week
