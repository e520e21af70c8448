-- Title: Our visibility by search engine
-- Question: How much of the first places is ours, in each search engine?
-- Chart: line
-- X: week
-- Y: share
-- Series: engine
-- Unit: %
-- Computed: The market share of all own sites together, for each search engine by itself.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, top_n, weighted, rank
-- Order: 35
WITH weeks AS (
  SELECT week, CASE WHEN state = 'summarising' OR NOT is_published THEN coalesce(reason, state) END AS reason
    FROM search_reports.weeks
   WHERE dataset = 'keyword_rankings' AND account_id = :account::bigint
   ORDER BY week DESC
   LIMIT :weeks::integer), totals AS (
  SELECT week, coalesce(search_engine, 'unknown') AS engine, sum(searches) AS searches, sum(volume) AS volume
    FROM search_reports.ranking_totals
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)
   GROUP BY week, 2), measure AS (
  SELECT :weighted::boolean AND coalesce(sum(volume), 0) > 0 AS by_volume FROM totals), hits AS (
  SELECT s.week, coalesce(s.search_engine, 'unknown') AS engine, sum(CASE :rank::text || '_' || :top_n::integer || CASE WHEN m.by_volume THEN '_volume' ELSE '' END
         WHEN 'standard_1' THEN s.standard_1 WHEN 'standard_1_volume' THEN s.standard_1_volume
         WHEN 'standard_3' THEN s.standard_3 WHEN 'standard_3_volume' THEN s.standard_3_volume
         WHEN 'standard_5' THEN s.standard_5 WHEN 'standard_5_volume' THEN s.standard_5_volume
         WHEN 'standard_10' THEN s.standard_10 WHEN 'standard_10_volume' THEN s.standard_10_volume
         WHEN 'standard_20' THEN s.standard_20 WHEN 'standard_20_volume' THEN s.standard_20_volume
         WHEN 'true_1' THEN s.true_1 WHEN 'true_1_volume' THEN s.true_1_volume
         WHEN 'true_3' THEN s.true_3 WHEN 'true_3_volume' THEN s.true_3_volume
         WHEN 'true_5' THEN s.true_5 WHEN 'true_5_volume' THEN s.true_5_volume
         WHEN 'true_10' THEN s.true_10 WHEN 'true_10_volume' THEN s.true_10_volume
         WHEN 'true_20' THEN s.true_20 WHEN 'true_20_volume' THEN s.true_20_volume END) AS hits
    FROM search_reports.ranking_sites s CROSS JOIN measure m
   WHERE s.account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR s.web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR s.search_engine = :engine::text)
     AND (:country::text IS NULL OR s.country = :country::text)
     AND (:device::text IS NULL OR s.device = :device::text)
     AND s.week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks) AND s.is_own
   GROUP BY s.week, 2), engines AS (
  SELECT DISTINCT engine FROM totals)
SELECT w.week, e.engine,
       CASE WHEN w.reason IS NULL AND n.searches > 0
            THEN round(100.0 * coalesce(h.hits, 0) / (:top_n::integer * CASE WHEN m.by_volume THEN nullif(n.volume, 0) ELSE n.searches END), 2)
       END AS share,
       coalesce(w.reason, CASE WHEN n.searches IS NULL THEN 'no searches' WHEN m.by_volume AND n.volume = 0 THEN 'no search volumes' END) AS reason, CASE WHEN :weighted::boolean AND NOT m.by_volume THEN 'No search volumes are loaded (includeMsv), so every search counts alike.' END AS notice
  FROM weeks w CROSS JOIN engines e CROSS JOIN measure m
  LEFT JOIN totals n ON n.week = w.week AND n.engine = e.engine
  LEFT JOIN hits h ON h.week = w.week AND h.engine = e.engine
 ORDER BY e.engine, w.week
