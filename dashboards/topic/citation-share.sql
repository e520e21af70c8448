-- Title: Citation share by site
-- Question: Whose pages do assistants cite on this topic?
-- Chart: line
-- X: week
-- Y: percent
-- Series: site
-- Unit: %
-- Measure: citation_share
-- Links: site
-- Note: The eight sites with the most citations on the topic in the newest week, and at most five of our own. Ours have thick lines.
-- Empty: No week is published.
-- Computed: Citations of the site on the topic, divided by all citations on the topic, of prompts of which all were asked for. low and high are the 95 %
--   interval of the share, based on how much the prompts differ.
-- Datasets: ai_search_citations
-- Variables: account, topic, web_property, assistant, country, weeks
-- Order: 20
SELECT l.week, l.site, l.is_ours, round(l.level, 2) AS percent, round(l.low, 1) AS low, round(l.high, 1) AS high, l.part AS citations, l.whole AS all_citations,
       round(100 * l.matched, 1) AS same, l.reason, l.question
  FROM search_reports.site_levels('citations', NULL, :choices, search_reports.largest_sites('citations', :choices, :weeks::text, 8), :weeks::text) AS l
 ORDER BY l.is_ours DESC, l.place, l.week
