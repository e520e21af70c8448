-- Title: Average best place by device and country
-- Question: Where do we stand on each device, in each country?
-- Chart: line
-- X: week
-- Y: place
-- Series: market
-- Unit: place
-- Note: Lower is better. Only searches with an own result count; the table has how many are tracked, and how many of them
--   have none (absent).
-- Computed: Sum of the best own places, divided by the searches that have one.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, rank
-- Order: 30
WITH weeks AS (
  SELECT week, gap, note FROM search_reports.newest_weeks('keyword_rankings', :account::bigint, :weeks::integer)), places AS (
  SELECT week, concat_ws(', ', lower(device), country) AS market, sum(searches) AS searches,
         sum(CASE :rank::text WHEN 'standard' THEN standard_place_sum ELSE true_place_sum END) AS place_sum,
         sum(CASE :rank::text WHEN 'standard' THEN standard_absent ELSE true_absent END) AS absent
    FROM search_reports.ranking_totals
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)
   GROUP BY week, 2), markets AS (
  SELECT DISTINCT market FROM places)
SELECT w.week, k.market, CASE WHEN w.gap IS NULL THEN round(1.0 * p.place_sum / nullif(p.searches - p.absent, 0), 2) END AS place,
       p.searches AS tracked, p.absent,
       coalesce(w.gap, CASE WHEN p.searches IS NULL THEN 'no searches' WHEN p.searches = p.absent THEN 'not found' END, w.note) AS reason
  FROM weeks w CROSS JOIN markets k
  LEFT JOIN places p ON p.week = w.week AND p.market = k.market
 ORDER BY k.market, w.week
