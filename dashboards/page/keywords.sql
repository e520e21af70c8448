-- Title: Rankings
-- Question: Which searches find this page in the newest week, and where did it rank before?
-- Chart: table
-- Links: query = search
-- Changes: places_won
-- Why: places_won = average_place
-- Empty: No tracked search finds this page in either week.
-- Computed: Results of keyword_rankings that are this page, in the newest week and the compared week, the best of each search. Places won =
--   place before -
--   place; a page that was or is not found has none. The volume is average_search_volume, else approximate_search_volume.
-- Datasets: keyword_rankings
-- Variables: account, page, web_property, engine, country, device, rank, weeks, compare
-- Order: 20
WITH pair AS (
  SELECT * FROM search_reports.measure_pair('first_places', :account::bigint, :weeks::text, :compare::text)
), found AS (
  SELECT r.search_key, max(r.query) AS query, max(r.tracked) AS tracked, min(r.place) FILTER (WHERE w.is_newer) AS place,
         min(r.place) FILTER (WHERE NOT w.is_newer) AS place_before, max(r.volume) AS volume,
           max(r.title) FILTER (WHERE w.is_newer) AS title
    FROM pair p CROSS JOIN LATERAL (VALUES (p.week, true), (p.before, false)) AS w (week, is_newer)
   CROSS JOIN LATERAL search_reports.results_of(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[],
         :rank::text,
                                                w.week, NULL, :page::text, NULL) AS r
   WHERE w.week IS NOT NULL
   GROUP BY r.search_key
)
SELECT f.query, f.tracked, f.place_before, f.place AS place_now, f.place_before - f.place AS places_won, f.volume, f.title,
       CASE WHEN f.query IS NOT NULL THEN search_reports.is_own_site(:account::bigint, split_part(:page::text, '/', 1)) END AS is_ours,
       p.reason, concat_ws(' ', p.refusal, p.notice) AS notice
  FROM pair p LEFT JOIN found f ON true
 ORDER BY f.volume DESC NULLS LAST, f.query, f.tracked
