-- Title: Search volume
-- Question: How often is this keyword searched?
-- Chart: line
-- X: week
-- Y: volume
-- Series: country
-- Unit: searches
-- Empty: No week is published.
-- Computed: The largest search volume of the searches for the keyword by country (average_search_volume, else approximate_search_volume). Volumes are
--   there only where the job asks for them (includeMsv).
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, weeks
-- Order: 50
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, NULL, false)
), volumes AS (
  SELECT week, coalesce(nullif(country, ''), '(unknown)') AS country, max(volume) AS volume
    FROM search_reports.search_places(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], 'standard', :keyword::text,
                                      (SELECT min(week) FROM frame))
   GROUP BY 1, 2
)
SELECT f.week, c.country, CASE WHEN f.gap IS NULL THEN v.volume END AS volume,
       coalesce(f.gap, CASE WHEN v.week IS NULL THEN coalesce(l.unasked, search_reports.unknown_searches(f.asked), 'not tracked')
                            WHEN v.volume IS NULL THEN 'no search volume is loaded' END, f.note) AS reason
  FROM frame f LEFT JOIN (SELECT DISTINCT country FROM volumes) AS c ON true
  LEFT JOIN volumes v ON v.week = f.week AND v.country = c.country
 CROSS JOIN LATERAL search_reports.line(search_reports.of_one_thing(f.asked), jsonb_build_object('country', c.country), v.week IS NOT NULL) AS l
 ORDER BY c.country, f.week
