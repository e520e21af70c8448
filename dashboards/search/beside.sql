-- Title: Who stands beside us
-- Question: Which results does this keyword have in the newest week?
-- Chart: table
-- Links: site, url = page
-- Changes: places_won
-- Note: New results were not there in the week compared with.
-- Empty: This keyword has no results in the newest week.
-- Computed: Rows of keyword_rankings of the newest week, and where the same page was in the week compared with: places won = place before - place. Where the weeks
--   cannot be compared, none is called new.
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, rank, weeks, compare
-- Order: 30
WITH pair AS (
  SELECT * FROM search_reports.ranking_pair(:account::bigint, :web_property::bigint, :country::text, :device::text, :weeks::text, :compare::text)
), before AS (
  SELECT r.search_key, r.url, min(r.place) AS place
    FROM pair p CROSS JOIN LATERAL search_reports.results_of(:account::bigint, :web_property::bigint, :engine::text, :country::text, :device::text, :rank::text, p.before, :keyword::text, NULL, NULL) AS r
   WHERE p.before IS NOT NULL
   GROUP BY 1, 2
)
SELECT r.tracked, r.place, CASE WHEN p.before IS NULL THEN NULL WHEN b.url IS NULL THEN 'new' END AS change, b.place - r.place AS places_won, r.site, r.url, r.title,
       r.result_type, r.is_own AS is_ours, p.reason, concat_ws(' ', p.refusal, p.notice) AS notice
  FROM pair p
  LEFT JOIN LATERAL search_reports.results_of(:account::bigint, :web_property::bigint, :engine::text, :country::text, :device::text, :rank::text, p.week, :keyword::text, NULL, NULL) AS r ON p.week IS NOT NULL
  LEFT JOIN before b ON b.search_key = r.search_key AND b.url = r.url
 ORDER BY r.tracked, r.place, r.url
