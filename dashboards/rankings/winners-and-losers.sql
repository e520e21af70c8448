-- Title: Winners and losers
-- Question: Which searches changed our visibility most since the week before?
-- Chart: table
-- Links: query = search
-- Changes: places_won, effect
-- Beside: effect, Winners, Losers
-- Note: The 25 that won and the 25 that lost the most. The effect is what a search adds to the change of our visibility, in percentage
--   points; that of
--   all searches of both weeks together is the change like for like. A search that lost its place is a loss like any other.
-- Empty: No search has changed our visibility since the week before.
-- Computed: What our results hold of the first places of a search in the newest week and in the compared week, weighted by the search's
--   part of the whole.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, top_n, rank, weighted, weeks, compare
-- Order: 50
SELECT m.query, m.place_before, m.place AS place_now, m.change, m.place_before - m.place AS places_won, m.volume,
       round(m.effect, 4) AS effect, m.engine, m.country, m.device, m.web_property_id AS web_property,
       coalesce(p.reason, p.refusal, k.lacks) AS reason,
       concat_ws(' ', p.notice, CASE WHEN m.number > 0
         THEN format('%s searches won, %s lost; shown are the 25 largest of each.', m.won, m.lost) END) AS notice
  FROM search_reports.measure_pair('visibility', :account::bigint, :weeks::text, :compare::text) AS p
 CROSS JOIN LATERAL search_reports.lacks_between('visibility', :choices, p.week, p.before) AS k (lacks)
  LEFT JOIN LATERAL search_reports.search_moves(:choices, p.week, p.before) AS m ON m.number <= 25
 ORDER BY m.effect DESC, m.query, m.device, m.country, m.engine, m.web_property_id
