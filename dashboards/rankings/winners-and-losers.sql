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
WITH weeks AS (
  SELECT week
    FROM search_reports.weeks
   WHERE dataset = 'keyword_rankings' AND account_id = :account::bigint AND state <> 'summarising' AND is_published
   ORDER BY week DESC
   LIMIT 2), bounds AS (
  SELECT max(week) AS newest, CASE WHEN max(week) - min(week) = 7 THEN min(week) END AS before FROM weeks), now AS (
  SELECT DISTINCT ON (search_key) search_key, query, search_engine, country, device, volume,
         CASE :rank::text WHEN 'standard' THEN own_standard ELSE own_true END AS place,
         1 + CASE :rank::text WHEN 'standard' THEN deepest_standard ELSE deepest_true END AS absent_place
    FROM search_reports.ranking_searches
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week = (SELECT newest FROM bounds)
   ORDER BY search_key, period_start DESC, period_end DESC), earlier AS (
  SELECT DISTINCT ON (search_key) search_key, query, search_engine, country, device, volume,
         CASE :rank::text WHEN 'standard' THEN own_standard ELSE own_true END AS place,
         1 + CASE :rank::text WHEN 'standard' THEN deepest_standard ELSE deepest_true END AS absent_place
    FROM search_reports.ranking_searches
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week = (SELECT before FROM bounds)
   ORDER BY search_key, period_start DESC, period_end DESC), moves AS (
  SELECT n.query, n.search_engine, n.country, n.device, e.place AS place_before, n.place AS place_now,
         coalesce(e.place, e.absent_place) - coalesce(n.place, n.absent_place) AS places_won, n.volume,
         (coalesce(e.place, e.absent_place) - coalesce(n.place, n.absent_place))
           * CASE WHEN :weighted::boolean THEN coalesce(n.volume, 1) ELSE 1 END AS effect
    FROM now n JOIN earlier e USING (search_key)
   WHERE n.place IS NOT NULL OR e.place IS NOT NULL), ranked AS (
  SELECT *, row_number() OVER (ORDER BY effect DESC, query, device) AS best, row_number() OVER (ORDER BY effect, query, device) AS worst
    FROM moves
   WHERE effect <> 0)
SELECT query, search_engine AS engine, country, device, place_before, place_now, places_won, volume, effect
  FROM ranked
 WHERE (best <= 25 AND effect > 0) OR (worst <= 25 AND effect < 0)
 ORDER BY effect DESC, query, device
