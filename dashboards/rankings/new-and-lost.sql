-- Title: New and lost searches
-- Question: Which searches find us now but did not a week ago, and vice versa?
-- Chart: table
-- Links: query = search
-- Note: The 100 with the largest search volume. Only without a place: a result of ours that has no place in the list, such as an AI overview or a video,
--   still finds us. Placed again: the week before, only such a result found us.
-- Empty: No search was won or lost since the week before.
-- Computed: Searches tracked in both weeks with a place of ours in only one of them. A search with results of ours that have no place by this rank
--   is not lost. The volume is average_search_volume of the newest week, else approximate_search_volume.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, rank, weeks, compare
-- Order: 60
WITH searches AS MATERIALIZED (
  SELECT *
    FROM search_reports.compared_searches(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                          :weeks::text, :compare::text, :keyword_group::text[], true)
), shown AS (
  SELECT CASE WHEN place_before IS NULL AND own_results_before > 0 THEN 'placed again' WHEN place_before IS NULL THEN 'new'
              WHEN own_results > 0 THEN 'only without a place' ELSE 'lost' END AS change, web_property, query, engine, country, device,
         coalesce(place, place_before) AS place, coalesce(url, url_before) AS url, volume
    FROM searches
   WHERE (place IS NULL) <> (place_before IS NULL)
   ORDER BY volume DESC NULLS LAST, query, device, web_property
   LIMIT 100
)
SELECT s.*, n.reason, n.notice
  FROM (SELECT max(reason) AS reason, max(notice) AS notice FROM searches) AS n LEFT JOIN shown s ON true
 ORDER BY s.volume DESC NULLS LAST, s.query, s.device, s.web_property
