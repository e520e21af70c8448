-- Title: Places of our best results
-- Question: For how many searches are we found, and where?
-- Chart: stacked
-- X: week
-- Y: share
-- Series: place
-- Unit: %
-- Note: A search for which we are not found counts as absent.
-- Computed: Tracked searches by the best place of an own result, divided by all tracked searches; by volume or each search alike.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, weighted, rank
-- Order: 20
WITH weeks AS (
  SELECT week, CASE WHEN state = 'summarising' OR NOT is_published THEN coalesce(reason, state) END AS reason
    FROM search_reports.weeks
   WHERE dataset = 'keyword_rankings' AND account_id = :account::bigint
   ORDER BY week DESC
   LIMIT :weeks::integer), measure AS (
  SELECT :weighted::boolean AND coalesce(sum(volume), 0) > 0 AS by_volume
    FROM search_reports.ranking_totals
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)), places AS (
  SELECT t.week, p.number, p.place, sum(p.searches) AS searches, sum(sum(p.searches)) OVER (PARTITION BY t.week) AS of_all
    FROM search_reports.ranking_totals t CROSS JOIN measure m
   CROSS JOIN LATERAL (VALUES
         (0, '1', CASE :rank::text || CASE WHEN m.by_volume THEN '_volume' ELSE '' END WHEN 'standard' THEN standard_1 WHEN 'true' THEN true_1 WHEN 'standard_volume' THEN standard_1_volume ELSE true_1_volume END),
         (1, '2–3', CASE :rank::text || CASE WHEN m.by_volume THEN '_volume' ELSE '' END WHEN 'standard' THEN standard_2_3 WHEN 'true' THEN true_2_3 WHEN 'standard_volume' THEN standard_2_3_volume ELSE true_2_3_volume END),
         (2, '4–10', CASE :rank::text || CASE WHEN m.by_volume THEN '_volume' ELSE '' END WHEN 'standard' THEN standard_4_10 WHEN 'true' THEN true_4_10 WHEN 'standard_volume' THEN standard_4_10_volume ELSE true_4_10_volume END),
         (3, '11–20', CASE :rank::text || CASE WHEN m.by_volume THEN '_volume' ELSE '' END WHEN 'standard' THEN standard_11_20 WHEN 'true' THEN true_11_20 WHEN 'standard_volume' THEN standard_11_20_volume ELSE true_11_20_volume END),
         (4, 'beyond 20', CASE :rank::text || CASE WHEN m.by_volume THEN '_volume' ELSE '' END WHEN 'standard' THEN standard_beyond WHEN 'true' THEN true_beyond WHEN 'standard_volume' THEN standard_beyond_volume ELSE true_beyond_volume END),
         (5, 'absent', CASE :rank::text || CASE WHEN m.by_volume THEN '_volume' ELSE '' END WHEN 'standard' THEN standard_absent WHEN 'true' THEN true_absent WHEN 'standard_volume' THEN standard_absent_volume ELSE true_absent_volume END)) AS p (number, place, searches)
   WHERE t.account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR t.web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR t.search_engine = :engine::text)
     AND (:country::text IS NULL OR t.country = :country::text)
     AND (:device::text IS NULL OR t.device = :device::text)
     AND t.week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)
   GROUP BY t.week, p.number, p.place)
SELECT w.week, k.place, CASE WHEN w.reason IS NULL THEN round(100.0 * p.searches / nullif(p.of_all, 0), 2) END AS share,
       CASE WHEN m.by_volume THEN NULL ELSE p.searches END AS searches,
       coalesce(w.reason, CASE WHEN p.of_all IS NULL THEN 'no searches' WHEN p.of_all = 0 THEN 'no search volumes' END) AS reason, CASE WHEN :weighted::boolean AND NOT m.by_volume THEN 'No search volumes are loaded (includeMsv), so every search counts alike.' END AS notice
  FROM weeks w CROSS JOIN measure m
 CROSS JOIN (VALUES (0, '1'), (1, '2–3'), (2, '4–10'), (3, '11–20'), (4, 'beyond 20'), (5, 'absent')) AS k (number, place)
  LEFT JOIN places p ON p.week = w.week AND p.number = k.number
 ORDER BY k.number, w.week
