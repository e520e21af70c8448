-- Title: Searches
-- Question: In which searches did we win and lose the most?
-- Chart: movers
-- Links: query = search
-- X: query
-- Y: place_before, place_now
-- Changes: places_won, effect
-- Beside: effect, Won, Lost
-- From: rankings/winners-and-losers
-- Note: The effect is the number of places won (negative: lost), times the monthly search volume.
-- Empty: No search has moved.
-- Computed: The ten that won and the ten that lost the most, as on the board Rankings: places won x search volume.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, rank, weighted, weeks, compare
-- Order: 110
SELECT week, query, place_before, place_now, places_won, effect, engine, country, device, reason, notice
  FROM search_reports.most_moved_searches(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                          :weighted::boolean, :weeks::text, :compare::text, :keyword_group::text[], 10)
 ORDER BY effect DESC, query, device
