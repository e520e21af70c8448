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
SELECT f.query, f.tracked, f.place_before, f.place AS place_now, f.place_before - f.place AS places_won, f.volume, f.title,
       CASE WHEN f.query IS NOT NULL THEN search_reports.is_own_page(:account::bigint, :page::text) END AS is_ours,
       p.reason, concat_ws(' ', p.refusal, p.notice) AS notice
  FROM search_reports.measure_pair('first_places', :account::bigint, :weeks::text, :compare::text) AS p
  LEFT JOIN LATERAL (
       SELECT max(r.query) AS query, max(r.tracked) AS tracked, max(r.volume) AS volume,
              min(r.place) FILTER (WHERE w.week = p.week) AS place, min(r.place) FILTER (WHERE w.week = p.before) AS place_before,
              max(r.title) FILTER (WHERE w.week = p.week) AS title
         FROM unnest(ARRAY[p.week, p.before]) AS w (week)
        CROSS JOIN LATERAL search_reports.results_of(:choices, w.week, page => :page::text) AS r
        GROUP BY r.search_key) AS f ON true
 ORDER BY f.volume DESC NULLS LAST, f.query, f.tracked
