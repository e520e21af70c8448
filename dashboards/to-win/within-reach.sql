-- Title: Searches within reach
-- Question: In which searches do we stand 4th to 10th, and with which page?
-- Chart: table
-- Links: query = search, url = page
-- Note: The rule: our best place is 4 to 10. The most searched first.
-- Empty: In no search do we stand 4th to 10th.
-- Computed: Tracked searches of the newest week by our best place there. The volume is average_search_volume, else
--   approximate_search_volume. A search whose first places were not loaded (min_rank), or whose results of ours were not, is not in
--   the list.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, rank, weeks
-- Order: 10
WITH shown AS (
  SELECT * FROM search_reports.measure_pair('found', :account::bigint, :weeks::text, 'none')
), searches AS MATERIALIZED (
  SELECT DISTINCT ON (s.unit, s.cut) s.* FROM shown p CROSS JOIN LATERAL search_reports.searches(:choices, ARRAY[p.week]) AS s
   WHERE s.first_loaded = 1 AND search_reports.lacks_us(s.shows_us) IS NULL
   ORDER BY s.unit, s.cut, s.period_start DESC
)
SELECT s.keyword AS query, s.place, s.volume, search_reports.bare_url(s.url) AS url, s.engine, s.country, s.device,
       s.web_property_id AS web_property,
       coalesce(p.reason, CASE WHEN n.tracked = 0 THEN 'Of no search of what is chosen is our place known.' END) AS reason,
       concat_ws(' ', p.notice, format('%s of %s tracked searches.', n.near, n.tracked)) AS notice
  FROM shown p
 CROSS JOIN (SELECT count(*) AS tracked, count(*) FILTER (WHERE place BETWEEN 4 AND 10) AS near FROM searches) AS n
  LEFT JOIN searches s ON s.place BETWEEN 4 AND 10
 ORDER BY s.volume DESC NULLS LAST, s.keyword, s.device, s.country, s.engine, s.web_property_id
