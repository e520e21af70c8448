-- Title: Market share by site
-- Question: Which sites share the first places of our searches?
-- Chart: line
-- Links: site
-- X: week
-- Y: share
-- Series: site
-- Unit: %
-- Note: The ten sites with the largest share in the newest week, at most five of our own, and the chosen competitors. Own sites have thick
--   lines.
-- Computed: What a site holds of the first places of the tracked searches, each search weighted by its volume (average_search_volume, else
--   approximate_search_volume) or by 1. A place that several results share counts in parts. Searches whose first places were not all loaded
--   do not count.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, top_n, weighted, rank, competitor
-- Order: 10
SELECT l.week, l.site, l.is_ours, round(l.level, 2) AS share, l.units AS searches, round(100 * l.matched, 1) AS same, l.reason, l.question
  FROM search_reports.largest_sites('first_places', :choices, :weeks::text, 10, :competitor::text[]) AS s (sites)
 CROSS JOIN LATERAL search_reports.site_levels('first_places', NULL, :choices, s.sites, :weeks::text) AS l
 ORDER BY l.is_ours DESC, l.place, l.week
