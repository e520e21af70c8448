-- Title: Who stands beside us
-- Question: Which results does this keyword have in the newest week?
-- Chart: table
-- Links: site, url = page
-- Changes: places_won
-- Why: places_won = average_place, change = average_place
-- Note: New results did not exist in the compared week; if a search has results in only one of the weeks, none is called new.
-- Empty: This keyword has no results in the newest week.
-- Computed: Rows of keyword_rankings of the newest week, and where the same page was in the week compared with: places won = place before -
--   place, by the
--   best place of a page in each week. Where the weeks cannot be compared, none is called new. Results without a URL cannot be told apart.
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, rank, weeks, compare
-- Order: 30
WITH pair AS (
  SELECT * FROM search_reports.measure_pair('first_places', :account::bigint, :weeks::text, :compare::text)
), results AS (
  SELECT r.*, row_number() OVER (PARTITION BY r.search_key, r.url ORDER BY r.place) = 1 AS is_best
    FROM pair p CROSS JOIN LATERAL search_reports.results_of(:choices, p.week) AS r
), before AS (
  SELECT r.search_key, r.url, min(r.place) AS place
    FROM pair p CROSS JOIN LATERAL search_reports.results_of(:choices, p.before) AS r GROUP BY 1, 2
)
SELECT r.tracked, r.place,
       CASE WHEN r.url IS NOT NULL AND b.url IS NULL AND r.search_key IN (SELECT search_key FROM before) THEN 'new' END AS change,
       CASE WHEN r.is_best THEN b.place - r.place END AS places_won, r.site, r.url, r.title, r.result_type, r.is_own AS is_ours,
       p.reason, concat_ws(' ', p.refusal, p.notice) AS notice
  FROM pair p LEFT JOIN results r ON true LEFT JOIN before b ON b.search_key = r.search_key AND b.url = r.url
 ORDER BY r.tracked, r.place, r.url
