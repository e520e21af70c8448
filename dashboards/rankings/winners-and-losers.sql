-- Title: Winners and losers
-- Question: In which searches have we moved most since the week before?
-- Chart: table
-- Links: query = search
-- Changes: places_won, effect
-- Beside: effect, Winners, Losers
-- Note: The 25 that won and the 25 that lost the most. The effect is the number of places won (negative: lost), times the monthly search volume. A
--   search that newly finds us has won at least one place; one that no longer does has lost at least one.
-- Empty: No search has moved since the week before.
-- Computed: Places won = place of the week before - place of the newest week, of the best own result. Where we are absent, the place is the
--   deepest place that the search was tracked to in either of the two weeks, + 1. Effect = places won x the search volume of the newest week
--   (average_search_volume, else approximate_search_volume); if the volume is not known, or searches are unweighted, x 1.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, rank, weighted, weeks, compare
-- Order: 50
SELECT query, place_before, place_now, places_won, volume, effect, engine, country, device, web_property, reason, notice
  FROM search_reports.most_moved_searches(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                          :weighted::boolean, :weeks::text, :compare::text, :keyword_group::text[], 25)
 ORDER BY effect DESC, query, device, web_property
