-- Title: Citation share by assistant
-- Question: How large is this site's share of what assistants cite?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Note: Of prompts of all kinds, where Home counts unbranded ones by default. A week whose filters leave out attributions or sites has only a part of
--   all citations, and no share.
-- Empty: No week is published.
-- Computed: Citations of the site and those below it, divided by all citations loaded of the assistant and week.
--   low and high are the 95 % interval of the share, based on how much the prompts differ, as if the same prompts cited all sites below it.
-- Datasets: ai_search_citations
-- Variables: account, site, web_property, assistant, country, weeks
-- Order: 30
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :weeks::text)
), sites AS (
  SELECT week, assistant, is_of_site, site, attribution, sum(citations) AS citations, sum(citations_by_all) AS by_all, sum(citations_squared) AS squared
    FROM search_reports.site_citations(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :site::text, NULL,
                                       (SELECT min(week) FROM frame))
   GROUP BY 1, 2, 3, 4, 5
), cited AS (
  SELECT week, assistant, max(citations) FILTER (WHERE NOT is_of_site) AS all_citations, coalesce(sum(citations) FILTER (WHERE is_of_site), 0) AS citations,
         search_reports.rate_interval(coalesce(sum(citations) FILTER (WHERE is_of_site), 0)::float8, max(citations) FILTER (WHERE NOT is_of_site)::float8,
                                      max(by_all) FILTER (WHERE NOT is_of_site)::float8, coalesce(sum(by_all) FILTER (WHERE is_of_site), 0)::float8,
                                      (coalesce(sum(sqrt(squared)) FILTER (WHERE is_of_site), 0) ^ 2)::float8) AS bounds
    FROM sites
   GROUP BY 1, 2
)
SELECT f.week, k.assistant, CASE WHEN g.gap IS NULL THEN round(100.0 * c.citations / c.all_citations, 2) END AS percent,
       CASE WHEN g.gap IS NULL THEN round(c.bounds[1], 1) END AS low, CASE WHEN g.gap IS NULL THEN round(c.bounds[2], 1) END AS high,
       CASE WHEN g.gap IS NULL THEN c.citations END AS citations,
       c.all_citations, coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change), '')) AS reason, CASE WHEN g.gap IS NULL THEN l.question END AS question
  FROM frame f LEFT JOIN (SELECT DISTINCT assistant FROM cited) AS k ON true
  LEFT JOIN cited c ON c.week = f.week AND c.assistant = k.assistant
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('assistant', k.assistant), c.all_citations > 0) AS l
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('assistant', k.assistant, 'site', :site::text, 'attribution', ''), c.citations > 0) AS o
 CROSS JOIN LATERAL (SELECT coalesce(f.gap, l.unasked, o.unasked, search_reports.citations_in_part(f.asked),
                                     CASE WHEN c.week IS NULL THEN 'no citations' END) AS gap) AS g
 ORDER BY k.assistant, f.week
