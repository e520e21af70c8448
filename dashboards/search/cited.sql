-- Title: Do assistants cite the page that ranks?
-- Question: Are our pages that rank for this keyword also cited in answers?
-- Chart: table
-- Links: url = page
-- Empty: No page of ours ranks for this keyword in the newest week.
-- Computed: Own results of the newest week for the keyword, and citations of the same page (compared without scheme, www. and slashes at
--   the end) in
--   answers of that week, for the chosen country.
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, keyword, web_property, engine, country, device, rank, weeks
-- Order: 70
WITH pair AS (
  SELECT p.*, (SELECT w.gap FROM search_reports.measure_weeks('citations', :account::bigint, p.week || '..' || p.week) AS w
                UNION ALL SELECT format('No citations of the week of %s are loaded.', p.week) LIMIT 1) AS gap,
         (SELECT bool_or(u.own_citations IS NOT NULL) FROM search_reports.prompts(:choices, ARRAY[p.week]) AS u) AS is_known
    FROM search_reports.measure_pair('first_places', :account::bigint, :weeks::text, 'none') AS p
), pages AS (
  SELECT r.url, min(r.place) AS best_place
    FROM pair p
   CROSS JOIN LATERAL search_reports.results_of(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[],
         :rank::text,
                                                p.week, :keyword::text, NULL, NULL) AS r
   WHERE r.is_own AND r.url IS NOT NULL
   GROUP BY r.url
)
SELECT g.url, g.best_place, CASE WHEN c.citations > 0 OR g.url IS NOT NULL AND p.is_known THEN coalesce(c.citations, 0) END AS citations,
       c.assistants,
       coalesce(p.reason, CASE WHEN g.url IS NULL OR c.citations > 0 OR p.is_known THEN NULL ELSE coalesce(p.gap,
         'citations of our pages were not asked for') END) AS reason, p.notice
  FROM pair p LEFT JOIN pages g ON true
  LEFT JOIN LATERAL (SELECT sum(citations) AS citations, string_agg(DISTINCT assistant, ', ') AS assistants
                       FROM search_reports.page_citations(:account::bigint, :web_property::text[], NULL, :country::text[], g.url,
                         p.week) AS c
                      WHERE c.week = p.week) AS c ON true
 ORDER BY g.best_place, g.url
