-- Title: Searches that find it
-- Question: In which searches is this site in the first places, and where are we?
-- Chart: table
-- Links: query = search, url = page
-- Changes: we_are_ahead
-- Note: The 500 with the largest search volume. Below zero the site is ahead of us by that many places.
-- Empty: No search finds this site in the newest week.
-- Computed: The best result of the site of each search in the newest week, up to the chosen place, beside our best place there. If we are absent there is no difference.
-- Datasets: keyword_rankings
-- Variables: account, site, web_property, engine, country, device, top_n, rank, weeks
-- Order: 20
WITH pair AS (
  SELECT * FROM search_reports.ranking_pair(:account::bigint, :web_property::text[], :country::text[], :device::text[], :weeks::text, 'none')
), found AS (
  SELECT DISTINCT ON (r.search_key) r.query, r.tracked, r.place, CASE :rank::text WHEN 'standard' THEN s.own_standard ELSE s.own_true END AS our_place,
         r.volume, r.url
    FROM pair p
   CROSS JOIN LATERAL search_reports.results_of(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                p.week, NULL, NULL, :site::text) AS r
    LEFT JOIN search_reports.ranking_searches s ON s.account_id = :account::bigint AND s.week = (SELECT week FROM pair) AND s.search_key = r.search_key
   WHERE r.place <= :top_n::integer
   ORDER BY r.search_key, r.place, s.period_start DESC, s.period_end DESC
), shown AS (
  SELECT *, place - our_place AS we_are_ahead FROM found ORDER BY volume DESC NULLS LAST, query, tracked LIMIT 500
)
SELECT s.query, s.tracked, s.place, s.our_place, s.we_are_ahead, s.volume, s.url, p.reason,
       p.notice
  FROM pair p LEFT JOIN shown s ON true
 ORDER BY s.volume DESC NULLS LAST, s.query, s.tracked
