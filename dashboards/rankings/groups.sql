-- Title: First three places by keyword group
-- Question: In which groups are we among the first three?
-- Chart: heatmap
-- X: week
-- Y: share
-- Series: keyword_group
-- Unit: %
-- Note: The 25 groups with the most searches in the newest week.
-- Computed: Searches of the group with an own result within the first three places, divided by all searches of the group: each with its
--   search volume (average_search_volume, else approximate_search_volume), or each alike. A search counts in each of its groups.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, weighted, rank
-- Order: 40
WITH weeks AS (
  SELECT week, gap, note FROM search_reports.newest_weeks('keyword_rankings', :account::bigint, :weeks::integer)), found AS (
  SELECT week, keyword_group, sum(searches) AS searches, sum(volume) AS volume,
         sum(CASE :rank::text WHEN 'standard' THEN standard_3 ELSE true_3 END) AS found,
         sum(CASE :rank::text WHEN 'standard' THEN standard_3_volume ELSE true_3_volume END) AS found_volume
    FROM search_reports.ranking_groups
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)
   GROUP BY week, keyword_group), measure AS (
  SELECT :weighted::boolean AND coalesce(sum(volume), 0) > 0 AS by_volume, max(week) AS newest FROM found), top AS (
  SELECT f.keyword_group, f.searches
    FROM found f
   WHERE f.week = (SELECT newest FROM measure)
   ORDER BY f.searches DESC, f.keyword_group
   LIMIT 25)
SELECT w.week, t.keyword_group,
       CASE WHEN w.gap IS NOT NULL THEN NULL
            WHEN m.by_volume THEN round(100.0 * f.found_volume / nullif(f.volume, 0), 1)
            ELSE round(100.0 * f.found / nullif(f.searches, 0), 1) END AS share, f.searches,
       coalesce(w.gap, CASE WHEN f.searches IS NULL THEN 'no searches' WHEN m.by_volume AND f.volume = 0 THEN 'no search volumes' END, w.note) AS reason,
       search_reports.volume_notice(:weighted::boolean, m.by_volume) AS notice
  FROM weeks w CROSS JOIN top t CROSS JOIN measure m
  LEFT JOIN found f ON f.week = w.week AND f.keyword_group = t.keyword_group
 ORDER BY t.searches DESC, t.keyword_group, w.week
