-- Title: Searches
-- Question: Which searches did we win and lose most by?
-- Chart: movers
-- Links: query = search
-- X: query
-- Y: place_before, place_now
-- Changes: places_won, effect
-- Beside: effect, Won, Lost
-- From: rankings/winners-and-losers
-- Note: The effect is how many places were won (or lost, with a minus), times how often the search is made in a month.
-- Empty: No search has moved.
-- Computed: The ten that won and the ten that lost most, as on the board Rankings: places won x search volume.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, rank, weighted, weeks, compare
-- Order: 110
WITH pair AS (
  SELECT * FROM search_reports.tracked_pair(:account::bigint, :web_property::text[], :country::text[], :device::text[], :weeks::text, :compare::text,
         :keyword_group::text[])
), moves AS MATERIALIZED (
  SELECT m.*
    FROM pair p
   CROSS JOIN LATERAL search_reports.ranking_moves(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                   :weighted::boolean, p.week, p.before, :keyword_group::text[]) AS m
), shown AS (
  SELECT query, place_before, place_now, places_won, effect, engine, country, device
    FROM ((SELECT * FROM moves WHERE effect > 0 ORDER BY effect DESC, query, device, web_property LIMIT 10)
          UNION ALL (SELECT * FROM moves WHERE effect < 0 ORDER BY effect, query, device, web_property LIMIT 10)) AS most
)
SELECT CASE WHEN s.query IS NOT NULL THEN p.week END AS week, s.*,
       coalesce(p.reason, p.refusal, CASE WHEN NOT EXISTS (SELECT FROM moves) THEN 'No search of what is chosen is tracked in both weeks.' END) AS reason,
       p.notice
  FROM pair p LEFT JOIN shown s ON true
 ORDER BY s.effect DESC, s.query, s.device
