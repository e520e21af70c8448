-- Title: Citation share by site
-- Question: Whose pages do assistants cite on this topic?
-- Chart: line
-- X: week
-- Y: percent
-- Series: site
-- Unit: %
-- Links: site
-- Note: The eight sites with the most citations on the topic in the weeks shown. Sites cited as You have thick lines.
-- Empty: No week is published.
-- Computed: Citations of the site on the topic, divided by all citations loaded on the topic in the week.
--   low and high are the 95 % interval of the share, based on how much the prompts differ.
-- Datasets: ai_search_citations
-- Variables: account, topic, web_property, assistant, country, weeks
-- Order: 20
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :weeks::text,
                                 ARRAY[:topic::text])
), cited AS (
  SELECT c.week, coalesce(c.site, '(no page)') AS site, bool_or(c.attribution = 'you') AS is_ours, sum(c.citations) AS citations,
         sum(c.citations_by_all) AS by_all, sum(c.citations_squared) AS squared, sum(sum(c.citations)) OVER (PARTITION BY c.week) AS all_citations,
         sum(sum(c.citations_by_all)) OVER (PARTITION BY c.week) AS all_squared
    FROM search_reports.site_citations(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :topic::text,
                                       (SELECT min(week) FROM frame)) AS c
    JOIN frame f ON f.week = c.week
   WHERE c.is_of_site
   GROUP BY 1, 2
), sites AS (
  SELECT site, coalesce(bool_or(is_ours), false) AS is_ours, row_number() OVER (ORDER BY sum(citations) DESC, site) AS number
    FROM cited GROUP BY site ORDER BY number LIMIT 8
), totals AS (
  SELECT week, max(all_citations) AS citations, max(all_squared) AS squared FROM cited GROUP BY week
)
SELECT f.week, s.site, s.is_ours, CASE WHEN g.gap IS NULL THEN round(100.0 * coalesce(c.citations, 0) / t.citations, 2) END AS percent,
       CASE WHEN g.gap IS NULL THEN round(b.bounds[1], 1) END AS low, CASE WHEN g.gap IS NULL THEN round(b.bounds[2], 1) END AS high,
       CASE WHEN g.gap IS NULL THEN coalesce(c.citations, 0) END AS citations, t.citations AS all_citations,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change), '')) AS reason, CASE WHEN g.gap IS NULL THEN l.question END AS question
  FROM frame f LEFT JOIN sites s ON true
  LEFT JOIN cited c ON c.week = f.week AND c.site = s.site LEFT JOIN totals t ON t.week = f.week
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('topic', :topic::text), t.citations > 0) AS l
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', s.site, 'topic', :topic::text, 'attribution', ''), c.citations > 0) AS o
 CROSS JOIN LATERAL (SELECT coalesce(f.gap, l.unasked, o.unasked, search_reports.citations_in_part(f.asked),
                                     CASE WHEN t.citations IS NULL THEN 'no citations' END) AS gap) AS g
 CROSS JOIN LATERAL search_reports.rate_interval(coalesce(c.citations, 0)::float8, t.citations::float8, t.squared::float8, coalesce(c.by_all, 0)::float8,
                                                 coalesce(c.squared, 0)::float8) AS b (bounds)
 ORDER BY s.is_ours DESC, s.number, f.week
