-- Title: Search volume
-- Question: How often is this keyword searched?
-- Chart: line
-- X: week
-- Y: volume
-- Series: country
-- Unit: searches
-- Empty: No week is published.
-- Computed: The largest search volume of the searches for the keyword by country (average_search_volume, else approximate_search_volume).
--   Volumes are
--   there only where the job asks for them (includeMsv).
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, weeks
-- Order: 50
WITH volumes AS (
  SELECT week, country, max(volume) AS volume
    FROM search_reports.search_lines(:choices,
      ARRAY(SELECT week FROM search_reports.measure_weeks('found', :account::bigint, :weeks::text)))
   GROUP BY 1, 2
)
SELECT w.week, c.country, v.volume,
       coalesce(w.gap, CASE WHEN v.week IS NULL THEN 'no results of it in this week' WHEN v.volume IS NULL
         THEN 'no search volume is loaded' END, w.note) AS reason
  FROM search_reports.measure_weeks('found', :account::bigint, :weeks::text) AS w
  LEFT JOIN (SELECT DISTINCT country FROM volumes) AS c ON true
  LEFT JOIN volumes v ON v.week = w.week AND v.country = c.country
 ORDER BY c.country, w.week
