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
  SELECT week, gap, note FROM search_reports.newest_weeks('keyword_rankings', :account::bigint, :weeks::integer)), measure AS (
  SELECT :weighted::boolean AND coalesce(sum(volume), 0) > 0 AS by_volume
    FROM search_reports.ranking_totals
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)), places AS (
  SELECT t.week, p.number, sum(p.searches) AS searches, sum(sum(p.searches)) OVER (PARTITION BY t.week) AS of_all
    FROM search_reports.ranking_totals t CROSS JOIN measure m
   CROSS JOIN LATERAL search_reports.searches_by_place(t, :rank::text, m.by_volume) AS p
   WHERE t.account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR t.web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR t.search_engine = :engine::text)
     AND (:country::text IS NULL OR t.country = :country::text)
     AND (:device::text IS NULL OR t.device = :device::text)
     AND t.week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)
   GROUP BY t.week, p.number)
SELECT w.week, k.place, CASE WHEN w.gap IS NULL THEN round(100.0 * p.searches / nullif(p.of_all, 0), 2) END AS share,
       CASE WHEN m.by_volume THEN NULL ELSE p.searches END AS searches,
       coalesce(w.gap, CASE WHEN p.of_all IS NULL THEN 'no searches' WHEN p.of_all = 0 THEN 'no search volumes' END, w.note) AS reason,
       search_reports.volume_notice(:weighted::boolean, m.by_volume) AS notice
  FROM weeks w CROSS JOIN measure m
 CROSS JOIN (VALUES (0, '1'), (1, '2–3'), (2, '4–10'), (3, '11–20'), (4, 'beyond 20'), (5, 'absent')) AS k (number, place)
  LEFT JOIN places p ON p.week = w.week AND p.number = k.number
 ORDER BY k.number, w.week
