-- Title: Our best places
-- Question: What is our place for this keyword, on each device, in each engine and country?
-- Chart: line
-- X: week
-- Y: place
-- Series: tracked
-- Unit: place
-- Links: url = page
-- Measure: average_place
-- Empty: No week is published.
-- Computed: The best own result of each search for the keyword. A search that does not find us has no place:
--   the reason says within which places we are not.
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, weeks, rank
-- Order: 10
WITH places AS MATERIALIZED (
  SELECT * FROM search_reports.search_lines(:choices,
         ARRAY(SELECT week FROM search_reports.measure_weeks('found', :account::bigint, :weeks::text)))
)
SELECT w.week, t.tracked, CASE WHEN w.gap IS NULL THEN p.place END AS place, search_reports.bare_url(p.url) AS url, p.own_results, p.volume,
       coalesce(w.gap, CASE WHEN p.unit IS NULL THEN 'no results of it in this week' ELSE p.lacks END, w.note) AS reason
  FROM search_reports.measure_weeks('found', :account::bigint, :weeks::text) AS w
  LEFT JOIN (SELECT DISTINCT tracked FROM places) AS t ON true
  LEFT JOIN places p ON p.week = w.week AND p.tracked = t.tracked
 ORDER BY t.tracked, w.week
