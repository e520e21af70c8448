-- Title: Citation share by site
-- Question: Whose pages do assistants cite?
-- Chart: line
-- Links: site
-- X: week
-- Y: percent
-- Series: site
-- Unit: %
-- Measure: citation_share
-- Note: The eight sites with the most citations in the newest week, at most five of our own, and the chosen competitors. Ours have thick lines.
-- Computed: Citations of the site, divided by all citations of prompts of which all were asked for. low and high are the 95 % interval of the share, based on
--   how much the prompts differ.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks, competitor
-- Order: 30
SELECT l.week, l.site, l.is_ours, round(l.level, 2) AS percent, round(l.low, 1) AS low, round(l.high, 1) AS high, l.part AS citations,
       l.whole AS all_citations, round(100 * l.matched, 1) AS same, l.reason, l.question
  FROM search_reports.largest_sites('citations', :choices, :weeks::text, 8, :competitor::text[]) AS s (sites)
 CROSS JOIN LATERAL search_reports.site_levels('citations', NULL, :choices, s.sites, :weeks::text) AS l
 ORDER BY l.is_ours DESC, l.site, l.week
