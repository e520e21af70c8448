-- Title: Searches that find it
-- Question: In which searches is this site in the first places, and where are we?
-- Chart: table
-- Links: query = search, url = page
-- Changes: we_are_ahead
-- Note: The 500 with the largest search volume. Below zero the site is ahead of us by that many places.
-- Empty: No search finds this site in the newest week.
-- Computed: The best result of the site of each search in the newest week, up to the chosen place, beside our best place there. If we are
--   absent there is no difference.
-- Datasets: keyword_rankings
-- Variables: account, site, web_property, engine, country, device, top_n, rank, weeks
-- Order: 20
SELECT s.query, s.tracked, s.place, s.our_place, s.place - s.our_place AS we_are_ahead, s.volume, s.url, p.reason,
       concat_ws(' ', p.notice, CASE WHEN count(*) OVER () > 500 THEN format('500 of %s searches.', count(*) OVER ()) END) AS notice
  FROM search_reports.measure_pair('first_places', :account::bigint, :weeks::text, 'none') AS p
  LEFT JOIN LATERAL (
       SELECT DISTINCT ON (r.search_key) r.query, r.tracked, r.place, s.place AS our_place, r.volume, r.url
         FROM search_reports.results_of(:choices, p.week, of_site => :site::text) AS r
         LEFT JOIN search_reports.searches(:choices, ARRAY[p.week]) AS s ON s.unit = r.search_key
        WHERE r.place <= :top_n::integer
        ORDER BY r.search_key, r.place, s.period_start DESC) AS s ON true
 ORDER BY s.volume DESC NULLS LAST, s.query, s.tracked
 LIMIT 500
