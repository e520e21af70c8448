-- Title: Pages
-- Question: Which of our pages rank for more searches, and which for fewer?
-- Chart: movers
-- Links: url = page
-- X: url
-- Y: searches_before, searches_now
-- Changes: change
-- Beside: change, Gained, Lost
-- Empty: Every page of ours ranks for as many searches as before.
-- Computed: Searches for which a URL of our own domains ranks, without scheme, www. and slashes at the end, less those of the week compared with.
-- Datasets: keyword_rankings
-- Variables: account, web_property, country, weeks, compare
-- Order: 120
WITH pair AS (
  SELECT p.*, search_reports.other_searches(:account::bigint, :web_property::text[], :country::text[], NULL, p.week, p.before) AS others
    FROM search_reports.ranking_pair(:account::bigint, :web_property::text[], :country::text[], NULL, :weeks::text, :compare::text) AS p
), pages AS (
  SELECT url, coalesce(e.searches, 0) AS searches_before, coalesce(n.searches, 0) AS searches_now, coalesce(n.searches, 0) - coalesce(e.searches, 0) AS change,
         e.best_place AS best_place_before, n.best_place AS best_place_now
    FROM (SELECT o.* FROM pair p CROSS JOIN LATERAL search_reports.own_pages_of(:account::bigint, :web_property::text[], :country::text[], p.week) AS o
           WHERE p.before IS NOT NULL AND p.others IS NULL) AS n
    FULL JOIN (SELECT o.* FROM pair p CROSS JOIN LATERAL search_reports.own_pages_of(:account::bigint, :web_property::text[], :country::text[], p.before) AS o
                WHERE p.others IS NULL) AS e USING (url)
   WHERE url IS NOT NULL
), shown AS (
  (SELECT * FROM pages WHERE change > 0 ORDER BY change DESC, url LIMIT 10) UNION ALL (SELECT * FROM pages WHERE change < 0 ORDER BY change, url LIMIT 10)
)
SELECT CASE WHEN s.url IS NOT NULL THEN p.week END AS week, s.*,
       coalesce(p.reason, p.refusal, p.others, CASE WHEN NOT EXISTS (SELECT FROM pages) THEN 'No ranking page is known to be ours.' END) AS reason, p.notice
  FROM pair p LEFT JOIN shown s ON true
 ORDER BY s.change DESC, s.url
