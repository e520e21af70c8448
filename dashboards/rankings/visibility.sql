-- Title: Our visibility by search engine
-- Question: How much of the first places is ours, in each search engine?
-- Chart: line
-- X: week
-- Y: share
-- Series: engine
-- Unit: %
-- Computed: The market share of the own sites together, for each search engine by itself, weighted by search volume (average_search_volume,
--   else approximate_search_volume) or with every search alike. One of several own sites below one root domain is a gap: results are
--   summarised by root domain.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, top_n, weighted, rank, own
-- Order: 35
WITH weeks AS (
  SELECT week, gap, note FROM search_reports.newest_weeks('keyword_rankings', :account::bigint, :weeks::integer)), totals AS (
  SELECT week, coalesce(search_engine, 'unknown') AS engine, sum(searches) AS searches, sum(volume) AS volume
    FROM search_reports.ranking_totals
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)
   GROUP BY week, 2), measure AS (
  SELECT :weighted::boolean AND coalesce(sum(volume), 0) > 0 AS by_volume FROM totals), own AS (
  SELECT o.domain, :own::text IS NULL
           OR EXISTS (SELECT FROM unnest(string_to_array(:own::text, ',')) AS c WHERE right('.' || o.domain, length(c) + 1) = '.' || c) AS is_chosen
    FROM search_reports.own_domains o
   WHERE o.account_id = :account::bigint
     AND (o.source = 'configured'
          OR NOT EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = o.account_id AND c.source = 'configured'))), hits AS (
  SELECT s.week, coalesce(s.search_engine, 'unknown') AS engine, sum(CASE WHEN m.by_volume
             THEN search_reports.results_within(:rank::text, :top_n::integer,
                    s.standard_1_volume, s.standard_3_volume, s.standard_5_volume, s.standard_10_volume, s.standard_20_volume,
                    s.true_1_volume, s.true_3_volume, s.true_5_volume, s.true_10_volume, s.true_20_volume)
             ELSE search_reports.results_within(:rank::text, :top_n::integer,
                    s.standard_1, s.standard_3, s.standard_5, s.standard_10, s.standard_20,
                    s.true_1, s.true_3, s.true_5, s.true_10, s.true_20) END)
           FILTER (WHERE :own::text IS NULL OR k.is_chosen) AS hits,
         :own::text IS NOT NULL AND bool_or(k.is_chosen IS NOT DISTINCT FROM k.is_other) AS is_mixed
    FROM search_reports.ranking_sites s CROSS JOIN measure m
   CROSS JOIN LATERAL (
         SELECT bool_or(o.is_chosen) AS is_chosen, bool_or(NOT o.is_chosen) AS is_other
           FROM own o
         WHERE right('.' || lower(s.site), length(o.domain) + 1) = '.' || o.domain
            OR right(o.domain, length(s.site) + 1) = '.' || lower(s.site)) AS k
   WHERE s.account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR s.web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR s.search_engine = :engine::text)
     AND (:country::text IS NULL OR s.country = :country::text)
     AND (:device::text IS NULL OR s.device = :device::text)
     AND s.week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks) AND s.is_own
   GROUP BY s.week, 2), engines AS (
  SELECT DISTINCT engine FROM totals)
SELECT w.week, e.engine,
       CASE WHEN w.gap IS NULL AND n.searches > 0 AND h.is_mixed IS NOT TRUE
            THEN round(100.0 * coalesce(h.hits, 0) / (:top_n::integer * CASE WHEN m.by_volume THEN nullif(n.volume, 0) ELSE n.searches END), 2)
       END AS share,
       coalesce(w.gap, CASE WHEN n.searches IS NULL THEN 'no searches' WHEN m.by_volume AND n.volume = 0 THEN 'no search volumes'
                               WHEN h.is_mixed THEN 'another own site has the same root domain' END, w.note) AS reason,
       search_reports.volume_notice(:weighted::boolean, m.by_volume) AS notice
  FROM weeks w CROSS JOIN engines e CROSS JOIN measure m
  LEFT JOIN totals n ON n.week = w.week AND n.engine = e.engine
  LEFT JOIN hits h ON h.week = w.week AND h.engine = e.engine
 ORDER BY e.engine, w.week
