-- Title: Another page ranks
-- Question: Where do own pages compete with each other?
-- Chart: table
-- Note: The 100 with the largest search volume. Several own results mean that pages compete (cannibalisation).
-- Empty: Every search has the same best page as in the week before, or that week is missing.
-- Computed: Searches whose best own URL is another than in the week before, compared without scheme and www. The volume is
--   average_search_volume of the newest week, else approximate_search_volume.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, rank
-- Order: 70
WITH searches AS MATERIALIZED (
  SELECT * FROM search_reports.ranking_changes(:account::bigint, :web_property::bigint, :engine::text, :country::text, :device::text, :rank::text))
SELECT query, engine, country, device, place_before, url_before, place AS place_now, url AS url_now, own_results, volume,
       (SELECT search_reports.week_notice('keyword_rankings', :account::bigint, newest, before) FROM searches LIMIT 1) AS notice
  FROM searches
 WHERE search_reports.bare_url(url) <> search_reports.bare_url(url_before)
 ORDER BY volume DESC NULLS LAST, query, device
 LIMIT 100
