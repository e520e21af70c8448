-- Title: Another page ranks
-- Question: Where do own pages compete with each other?
-- Chart: table
-- Links: query = search, url_before = page, url_now = page
-- Note: The 100 with the largest search volume. Several own results mean that pages compete (cannibalisation).
-- Empty: Every search that finds us in both weeks has the same best page as in the week before.
-- Computed: Searches whose best own URL differs from the one in the week before, compared without scheme, www. and trailing slash. The
--   volume is
--   average_search_volume of the newest week, else approximate_search_volume.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, rank, weeks, compare
-- Order: 70
SELECT s.web_property_id AS web_property, s.query, s.engine, s.country, s.device, s.place_before, s.url_before, s.place AS place_now,
       s.url AS url_now, s.own_results, s.volume, coalesce(p.reason, p.refusal, k.lacks) AS reason,
       concat_ws(' ', p.notice, CASE WHEN count(*) OVER () > 100 THEN format('100 of %s searches.', count(*) OVER ()) END) AS notice
  FROM search_reports.measure_pair('found', :account::bigint, :weeks::text, :compare::text) AS p
 CROSS JOIN LATERAL search_reports.lacks_between('average_place', :choices, p.week, p.before) AS k (lacks)
  LEFT JOIN LATERAL search_reports.search_pairs(:choices, p.week, p.before) AS s
         ON search_reports.bare_url(s.url) <> search_reports.bare_url(s.url_before)
 ORDER BY s.volume DESC NULLS LAST, s.query, s.device, s.web_property_id
 LIMIT 100
