-- Title: Places of our best results
-- Question: For how many searches are we found, and where?
-- Chart: stacked
-- X: week
-- Y: share
-- Series: place
-- Unit: %
-- Note: A search for which we are not found counts as absent.
-- Computed: Tracked searches by the best place of an own result, divided by all tracked searches: each with its search volume
--   (average_search_volume, else approximate_search_volume), or each alike. The table has how many searches they are either way.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, weighted, rank
-- Order: 20
WITH weeks AS (
  SELECT week, gap, note FROM search_reports.newest_weeks('keyword_rankings', :account::bigint, :weeks::integer)), totals AS MATERIALIZED (
  SELECT week, sum(volume) AS volume,
         sum(CASE :rank::text WHEN 'standard' THEN standard_1 ELSE true_1 END) AS first,
         sum(CASE :rank::text WHEN 'standard' THEN standard_2_3 ELSE true_2_3 END) AS third,
         sum(CASE :rank::text WHEN 'standard' THEN standard_4_10 ELSE true_4_10 END) AS tenth,
         sum(CASE :rank::text WHEN 'standard' THEN standard_11_20 ELSE true_11_20 END) AS twentieth,
         sum(CASE :rank::text WHEN 'standard' THEN standard_beyond ELSE true_beyond END) AS beyond,
         sum(CASE :rank::text WHEN 'standard' THEN standard_absent ELSE true_absent END) AS absent,
         sum(CASE :rank::text WHEN 'standard' THEN standard_1_volume ELSE true_1_volume END) AS first_volume,
         sum(CASE :rank::text WHEN 'standard' THEN standard_2_3_volume ELSE true_2_3_volume END) AS third_volume,
         sum(CASE :rank::text WHEN 'standard' THEN standard_4_10_volume ELSE true_4_10_volume END) AS tenth_volume,
         sum(CASE :rank::text WHEN 'standard' THEN standard_11_20_volume ELSE true_11_20_volume END) AS twentieth_volume,
         sum(CASE :rank::text WHEN 'standard' THEN standard_beyond_volume ELSE true_beyond_volume END) AS beyond_volume,
         sum(CASE :rank::text WHEN 'standard' THEN standard_absent_volume ELSE true_absent_volume END) AS absent_volume
    FROM search_reports.ranking_totals
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)
   GROUP BY week), measure AS (
  SELECT :weighted::boolean AND coalesce(sum(volume), 0) > 0 AS by_volume, count(*) > 0 AS has_searches FROM totals), places AS (
  SELECT t.week, p.number, p.searches, CASE WHEN m.by_volume THEN p.volume ELSE p.searches END AS weight,
         sum(CASE WHEN m.by_volume THEN p.volume ELSE p.searches END) OVER (PARTITION BY t.week) AS of_all
    FROM totals t CROSS JOIN measure m
   CROSS JOIN LATERAL (VALUES (0, first, first_volume), (1, third, third_volume), (2, tenth, tenth_volume),
                              (3, twentieth, twentieth_volume), (4, beyond, beyond_volume), (5, absent, absent_volume)) AS p (number, searches, volume))
SELECT w.week, k.place, CASE WHEN w.gap IS NULL THEN round(100.0 * p.weight / nullif(p.of_all, 0), 2) END AS share, p.searches,
       coalesce(w.gap, CASE WHEN p.of_all IS NULL THEN 'no searches' WHEN p.of_all = 0 THEN 'no search volumes' END, w.note) AS reason,
       CASE WHEN m.has_searches THEN search_reports.volume_notice(:weighted::boolean, m.by_volume) END AS notice
  FROM weeks w CROSS JOIN measure m
 CROSS JOIN (VALUES (0, '1'), (1, '2–3'), (2, '4–10'), (3, '11–20'), (4, 'beyond 20'), (5, 'absent')) AS k (number, place)
  LEFT JOIN places p ON p.week = w.week AND p.number = k.number
 ORDER BY k.number, w.week
