-- Title: Another page ranks
-- Question: Where do own pages compete with each other?
-- Chart: table
-- Links: query = search, url_before = page, url_now = page
-- Note: The 100 with the largest search volume. Several own results mean that pages compete (cannibalisation).
-- Empty: Every search has the same best page as in the week before.
-- Computed: Searches whose best own URL differs from the one in the week before, compared without scheme, www. and trailing slash. The volume is
--   average_search_volume of the newest week, else approximate_search_volume.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, rank, weeks, compare
-- Order: 70
WITH searches AS MATERIALIZED (
  SELECT *
    FROM search_reports.compared_searches(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                          :weeks::text, :compare::text, :keyword_group::text[], false)
), shown AS (
  SELECT web_property, query, engine, country, device, place_before, url_before, place AS place_now, url AS url_now, own_results, volume
    FROM searches
   WHERE search_reports.bare_url(url) <> search_reports.bare_url(url_before)
   ORDER BY volume DESC NULLS LAST, query, device, web_property
   LIMIT 100
)
SELECT s.*, coalesce(n.reason, CASE WHEN n.both = 0 THEN 'No search finds us in both weeks.' END) AS reason, n.notice
  FROM (SELECT max(reason) AS reason, max(notice) AS notice, count(url || url_before) AS both FROM searches) AS n LEFT JOIN shown s ON true
 ORDER BY s.volume DESC NULLS LAST, s.query, s.device, s.web_property
