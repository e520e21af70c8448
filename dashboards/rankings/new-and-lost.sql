-- Title: New and lost searches
-- Question: Which searches find us now but did not a week ago, and vice versa?
-- Chart: table
-- Links: query = search
-- Note: The 100 with the largest search volume. Not within: results were loaded to this place only, and we are not among them. Only without
--   a place: a result
--   of ours that has no place in the list, such as an AI overview, still finds us. Placed again: the week before, only such a result found
--   us.
-- Empty: No search was won or lost since the week before.
-- Computed: Searches of both weeks with a place of ours in only one of them. looked_to is how deep the results of the week without us go.
--   The volume is average_search_volume of the newest week, else approximate_search_volume.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, rank, weeks, compare
-- Order: 60
SELECT s.change, s.web_property_id AS web_property, s.query, s.engine, s.country, s.device, coalesce(s.place, s.place_before) AS place,
       coalesce(s.url, s.url_before) AS url, CASE WHEN s.place IS NULL THEN s.looked ELSE s.looked_before END AS looked_to, s.volume,
       coalesce(p.reason, p.refusal, k.lacks) AS reason,
       concat_ws(' ', p.notice, CASE WHEN count(*) OVER () > 100 THEN format('100 of %s searches.', count(*) OVER ()) END) AS notice
  FROM search_reports.measure_pair('found', :account::bigint, :weeks::text, :compare::text) AS p
 CROSS JOIN LATERAL search_reports.lacks_between('found', :choices, p.week, p.before) AS k (lacks)
  LEFT JOIN LATERAL search_reports.search_pairs(:choices, p.week, p.before) AS s ON s.lacks IS NULL AND s.change IS NOT NULL
 ORDER BY s.volume DESC NULLS LAST, s.query, s.device, s.web_property_id
 LIMIT 100
