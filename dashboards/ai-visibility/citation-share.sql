-- Title: Citation share by site
-- Question: Whose pages do assistants cite?
-- Chart: line
-- Links: site
-- X: week
-- Y: percent
-- Series: site
-- Unit: %
-- Note: The eight sites with the most citations in the newest week, at most five of our own, and the chosen competitors. Sites cited as You have
--   thick lines. A week whose filters leave attributions or sites out has a part of all citations only, and no share.
-- Computed: Citations of the site, divided by all loaded citations of the week.
--   low and high are the 95 % interval of the share, based on how much the prompts differ.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks, competitor
-- Order: 30
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                 :weeks::text)
), totals AS (
  SELECT week, sum(citations) AS citations, sum(citations_by_all) AS squared
    FROM search_reports.citations_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                     (SELECT min(week) FROM frame)) GROUP BY week
), sites AS (
  SELECT s.*
    FROM (SELECT array_agg(week ORDER BY week) AS weeks FROM frame) AS n
   CROSS JOIN LATERAL search_reports.leading_cited_sites(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, n.weeks,
                                                         (SELECT max(week) FROM totals), 8, :competitor::text[]) AS s
)
SELECT f.week, CASE WHEN s.number IS NOT NULL THEN coalesce(s.site, '(no page)') END AS site, s.is_ours,
       CASE WHEN g.gap IS NULL THEN round(100.0 * s.citations / t.citations, 2) END AS percent,
       CASE WHEN g.gap IS NULL THEN round(b.bounds[1], 1) END AS low, CASE WHEN g.gap IS NULL THEN round(b.bounds[2], 1) END AS high,
       CASE WHEN g.gap IS NULL THEN s.citations END AS citations, t.citations AS all_citations,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change), '')) AS reason, CASE WHEN g.gap IS NULL THEN l.question END AS question
  FROM frame f LEFT JOIN sites s ON s.week = f.week LEFT JOIN totals t ON t.week = f.week
 CROSS JOIN LATERAL search_reports.line(f.asked, '{}', t.citations > 0) AS l
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', coalesce(s.site, ''), 'attribution', ''), s.citations > 0) AS o
 CROSS JOIN LATERAL (SELECT coalesce(f.gap, l.unasked, o.unasked, search_reports.citations_in_part(f.asked),
                                     CASE WHEN coalesce(t.citations, 0) = 0 OR s.number IS NULL THEN 'no citations' END) AS gap) AS g
 CROSS JOIN LATERAL search_reports.rate_interval(s.citations::float8, t.citations::float8, t.squared::float8, s.citations_by_all::float8,
                                                 s.citations_squared::float8) AS b (bounds)
 ORDER BY s.is_ours DESC, s.site, f.week
