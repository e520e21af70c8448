-- Title: Citations
-- Question: Which sites do assistants cite more often, and which less?
-- Chart: movers
-- Links: site
-- X: site
-- Y: citations_before, citations_now
-- Changes: change
-- Beside: change, Gained, Lost
-- From: ai-visibility/citation-share
-- Empty: Every site is cited as often as before.
-- Computed: Citations of the site in the newest week, less those of the week compared with. Ours (is_ours) are those attributed to You.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks, compare
-- Order: 150
WITH pair AS (
  SELECT * FROM search_reports.ai_pair('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, :weeks::text, :compare::text)
), sites AS (
  SELECT coalesce(c.site, '(no page)') AS site, c.is_ours, c.before AS citations_before, c.citations AS citations_now, c.citations - c.before AS change
    FROM pair p CROSS JOIN LATERAL search_reports.cited_site_changes(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, p.week, p.before) AS c
), shown AS (
  (SELECT * FROM sites WHERE change > 0 ORDER BY change DESC, site LIMIT 10) UNION ALL (SELECT * FROM sites WHERE change < 0 ORDER BY change, site LIMIT 10)
)
SELECT s.*, coalesce(p.reason, p.refusal) AS reason, p.notice
  FROM pair p LEFT JOIN shown s ON true
 ORDER BY s.change DESC, s.site
