-- Title: Winners and losers
-- Question: For which searches have we moved most since the week before?
-- Chart: table
-- Note: The 25 that won and the 25 that lost most. A search for which we are absent counts one place behind its deepest tracked place.
-- Empty: No search has moved since the week before, or that week is missing.
-- Computed: Change of the best own place against the week before, times the search volume of the newest week. Where the volume is not known,
--   or every search counts alike, times 1.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, rank, weighted
-- Order: 50
WITH searches AS MATERIALIZED (
  SELECT * FROM search_reports.ranking_changes(:account::bigint, :web_property::bigint, :engine::text, :country::text, :device::text, :rank::text)), moves AS (
  SELECT *, coalesce(place_before, absent_place_before) - coalesce(place, absent_place) AS places_won,
         (coalesce(place_before, absent_place_before) - coalesce(place, absent_place))
           * CASE WHEN :weighted::boolean THEN coalesce(volume, 1) ELSE 1 END AS effect
    FROM searches
   WHERE place IS NOT NULL OR place_before IS NOT NULL), ranked AS (
  SELECT *, row_number() OVER (ORDER BY effect DESC, query, device) AS best, row_number() OVER (ORDER BY effect, query, device) AS worst
    FROM moves
   WHERE effect <> 0)
SELECT query, engine, country, device, place_before, place AS place_now, places_won, volume, effect,
       (SELECT search_reports.week_notice('keyword_rankings', :account::bigint, newest, before) FROM searches LIMIT 1) AS notice
  FROM ranked
 WHERE (best <= 25 AND effect > 0) OR (worst <= 25 AND effect < 0)
 ORDER BY effect DESC, query, device
