-- Title: Groups of this keyword
-- Question: To which keyword groups does it belong, and how do they perform?
-- Chart: table
-- Empty: This keyword belongs to no group in the newest week.
-- Computed: Groups of the searches for the keyword in the newest week, with all searches that are tracked in them, and the share of these with an own
--   result within the first three places.
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, rank, weeks
-- Order: 60
WITH pair AS (
  SELECT p.*, coalesce(search_reports.our_places_gap(:account::bigint, p.asked, 3), search_reports.unknown_searches(p.asked)) AS gap
    FROM search_reports.ranking_pair(:account::bigint, :web_property::text[], :country::text[], :device::text[], :weeks::text, 'none') AS p
), own AS (
  SELECT DISTINCT unnest(s.keyword_groups) AS keyword_group
    FROM pair p
   CROSS JOIN LATERAL search_reports.search_places(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                   :keyword::text, p.week) AS s
   WHERE s.week = p.week
), groups AS (
  SELECT g.keyword_group, g.searches, CASE WHEN p.gap IS NULL THEN g.found END AS searches_in_first_3,
         CASE WHEN p.gap IS NULL THEN round(100.0 * g.found / g.searches, 1) END AS percent,
         CASE WHEN p.gap IS NULL THEN round(b.bounds[1], 1) END AS low, CASE WHEN p.gap IS NULL THEN round(b.bounds[2], 1) END AS high
    FROM pair p
   CROSS JOIN LATERAL search_reports.ranking_groups_of(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                       p.week) AS g
    JOIN own o USING (keyword_group)
   CROSS JOIN LATERAL search_reports.rate_interval(g.found::float8, g.searches::float8, g.searches::float8, g.found::float8, g.found::float8) AS b (bounds)
   WHERE g.week = p.week
)
SELECT g.*, coalesce(p.reason, p.gap) AS reason, p.notice
  FROM pair p LEFT JOIN groups g ON true
 ORDER BY g.searches, g.keyword_group
