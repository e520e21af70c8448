-- Title: Do assistants cite the page that ranks?
-- Question: Are our pages that rank for this keyword also cited in answers?
-- Chart: table
-- Links: url = page
-- Empty: No page of ours ranks for this keyword in the newest week.
-- Computed: Own results of the newest week for the keyword, and citations of the same page (compared without scheme, www. and slashes at the end) in
--   answers of that week, for the chosen country.
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, keyword, web_property, engine, country, device, rank, weeks
-- Order: 70
WITH pair AS (
  SELECT p.*, c.week AS cited_week, c.gap AS cited_gap, c.asked AS cited_asked
    FROM search_reports.ranking_pair(:account::bigint, :web_property::text[], :country::text[], :device::text[], :weeks::text, 'none') AS p
    LEFT JOIN search_reports.ai_frame('{ai_search_citations}', :account::bigint, NULL, NULL, :country::text[], NULL, :weeks::text) AS c ON c.week = p.week
), pages AS (
  SELECT r.url, min(r.place) AS best_place
    FROM pair p
   CROSS JOIN LATERAL search_reports.results_of(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                p.week, :keyword::text, NULL, NULL) AS r
   WHERE r.is_own AND r.url IS NOT NULL
   GROUP BY r.url
)
SELECT g.url, g.best_place, CASE WHEN g.url IS NOT NULL AND k.gap IS NULL THEN coalesce(c.citations, 0) END AS citations,
       CASE WHEN k.gap IS NULL THEN c.assistants END AS assistants,
       CASE WHEN g.url IS NULL THEN p.reason ELSE k.gap END AS reason,
       p.notice
  FROM pair p LEFT JOIN pages g ON true
  LEFT JOIN LATERAL (SELECT sum(citations) AS citations, string_agg(DISTINCT assistant, ', ') AS assistants
                       FROM search_reports.page_citations(:account::bigint, NULL, NULL, :country::text[], g.url, p.week) AS c
                      WHERE c.week = p.week) AS c ON true
 CROSS JOIN LATERAL search_reports.line(p.cited_asked, jsonb_build_object('site', search_reports.host_of(g.url), 'attribution', 'you'), c.citations > 0) AS l
 CROSS JOIN LATERAL (SELECT coalesce(p.reason, CASE WHEN p.cited_week IS NULL THEN format('No citations of the week of %s are loaded.', p.week) END,
                                     p.cited_gap, l.unasked) AS gap) AS k
 ORDER BY g.best_place, g.url
