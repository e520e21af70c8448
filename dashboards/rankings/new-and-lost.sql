-- Title: New and lost searches
-- Question: For which searches are we found that we were not a week ago, and the other way round?
-- Chart: table
-- Note: The 100 with the largest search volume.
-- Empty: No search was won or lost since the week before, or that week is missing.
-- Computed: Searches tracked in both weeks with an own result in one of them only. The volume is average_search_volume of the newest week,
--   else approximate_search_volume.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, rank
-- Order: 60
WITH searches AS MATERIALIZED (
  SELECT * FROM search_reports.ranking_changes(:account::bigint, :web_property::bigint, :engine::text, :country::text, :device::text, :rank::text))
SELECT CASE WHEN place_before IS NULL THEN 'new' ELSE 'lost' END AS change, query, engine, country, device,
       coalesce(place, place_before) AS place, coalesce(url, url_before) AS url, volume,
       (SELECT search_reports.week_notice('keyword_rankings', :account::bigint, newest, before) FROM searches LIMIT 1) AS notice
  FROM searches
 WHERE (place IS NULL) <> (place_before IS NULL)
 ORDER BY volume DESC NULLS LAST, query, device
 LIMIT 100
