-- Title: Citation share by assistant
-- Question: How large is this site's share of what assistants cite?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Against: rivals/citation-share
-- Note: Of prompts of all kinds, where Home counts unbranded ones by default. Prompts of which attributions or sites were left
--   out by filters have only a part of all citations, and do not count.
-- Empty: No week is published.
-- Computed: Citations of the site and those below it, divided by all citations loaded of the assistant and week.
--   low and high are the 95 % interval of the share, based on how much the prompts differ.
-- Datasets: ai_search_citations
-- Variables: account, site, web_property, assistant, country, weeks
-- Order: 30
SELECT week, line AS assistant, round(level, 2) AS percent, round(low, 1) AS low, round(high, 1) AS high, part AS citations,
       whole AS all_citations, reason, question
  FROM search_reports.site_levels('citations', 'assistant', :choices, ARRAY[:site::text], :weeks::text, true)
 ORDER BY line, week
