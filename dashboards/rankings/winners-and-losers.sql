-- Title: Winners and losers
-- Question: For which searches have we moved most since the week before?
-- Chart: table
-- Links: query = search
-- Changes: places_won, effect
-- Beside: effect, Winners, Losers
-- Note: The 25 that won and the 25 that lost most. A search that newly finds us has won at least one place, one that no longer does has lost at
--   least one.
-- Empty: No search has moved since the week before.
-- Computed: Places won = place of the week before - place of the newest week, of the best own result. Where we are absent, the place is the
--   deepest place that the search was tracked to in either of the two weeks, + 1. Effect = places won x the search volume of the newest week
--   (average_search_volume, else approximate_search_volume); where the volume is not known, or every search counts alike, x 1.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, rank, weighted, weeks, compare
-- Order: 50
WITH pair AS (
  SELECT * FROM search_reports.tracked_pair(:account::bigint, :web_property::text[], :country::text[], :device::text[], :weeks::text, :compare::text,
         :keyword_group::text[])
), moves AS MATERIALIZED (
  SELECT m.*
    FROM pair p
   CROSS JOIN LATERAL search_reports.ranking_moves(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                   :weighted::boolean, p.week, p.before, :keyword_group::text[]) AS m
), shown AS (
  SELECT query, place_before, place_now, places_won, volume, effect, engine, country, device, web_property
    FROM ((SELECT * FROM moves WHERE effect > 0 ORDER BY effect DESC, query, device, web_property LIMIT 25)
          UNION ALL (SELECT * FROM moves WHERE effect < 0 ORDER BY effect, query, device, web_property LIMIT 25)) AS most
)
SELECT s.*, coalesce(p.reason, p.refusal, CASE WHEN NOT EXISTS (SELECT FROM moves) THEN 'No search of what is chosen is tracked in both weeks.'
                                    WHEN NOT EXISTS (SELECT FROM moves WHERE effect IS NOT NULL) THEN 'No search finds us in either week.' END) AS reason,
                                    p.notice
  FROM pair p LEFT JOIN shown s ON true
 ORDER BY s.effect DESC, s.query, s.device, s.web_property
