-- Title: Market share by site
-- Question: Which sites share the first places of our searches?
-- Chart: line
-- X: week
-- Y: share
-- Series: site
-- Unit: %
-- Note: The ten sites with the largest share in the newest week. Own sites (is_ours) have thick lines.
-- Computed: Results of a site within the first places, each counted with the search volume of its search, divided by the number of these
--   places times the volume of all tracked searches. The volume is average_search_volume, else approximate_search_volume. Without weights
--   every search counts 1.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, top_n, weighted, rank, own
-- Order: 10
WITH weeks AS (
  SELECT week, gap, note FROM search_reports.newest_weeks('keyword_rankings', :account::bigint, :weeks::integer)), totals AS (
  SELECT week, sum(searches) AS searches, sum(volume) AS volume
    FROM search_reports.ranking_totals
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)
   GROUP BY week), measure AS (
  SELECT :weighted::boolean AND coalesce(sum(volume), 0) > 0 AS by_volume, max(week) AS newest FROM totals), own AS (
  SELECT o.domain, :own::text IS NULL
           OR EXISTS (SELECT FROM unnest(string_to_array(:own::text, ',')) AS c WHERE right('.' || o.domain, length(c) + 1) = '.' || c) AS is_chosen
    FROM search_reports.own_domains o
   WHERE o.account_id = :account::bigint
     AND (o.source = 'configured'
          OR NOT EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = o.account_id AND c.source = 'configured'))), top AS (
  SELECT s.site, bool_or(s.is_own)
           AND (:own::text IS NULL
                OR EXISTS (SELECT FROM own o
                            WHERE o.is_chosen AND (right('.' || lower(s.site), length(o.domain) + 1) = '.' || o.domain
                                                   OR right(o.domain, length(s.site) + 1) = '.' || lower(s.site)))) AS is_own
    FROM search_reports.ranking_sites s CROSS JOIN measure m
   WHERE s.account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR s.web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR s.search_engine = :engine::text)
     AND (:country::text IS NULL OR s.country = :country::text)
     AND (:device::text IS NULL OR s.device = :device::text)
     AND s.week = (SELECT newest FROM measure)
   GROUP BY s.site
   ORDER BY sum(CASE WHEN m.by_volume
             THEN search_reports.results_within(:rank::text, :top_n::integer,
                    s.standard_1_volume, s.standard_3_volume, s.standard_5_volume, s.standard_10_volume, s.standard_20_volume,
                    s.true_1_volume, s.true_3_volume, s.true_5_volume, s.true_10_volume, s.true_20_volume)
             ELSE search_reports.results_within(:rank::text, :top_n::integer,
                    s.standard_1, s.standard_3, s.standard_5, s.standard_10, s.standard_20,
                    s.true_1, s.true_3, s.true_5, s.true_10, s.true_20) END) DESC, s.site
   LIMIT 10), hits AS (
  SELECT s.week, s.site, sum(CASE WHEN m.by_volume
             THEN search_reports.results_within(:rank::text, :top_n::integer,
                    s.standard_1_volume, s.standard_3_volume, s.standard_5_volume, s.standard_10_volume, s.standard_20_volume,
                    s.true_1_volume, s.true_3_volume, s.true_5_volume, s.true_10_volume, s.true_20_volume)
             ELSE search_reports.results_within(:rank::text, :top_n::integer,
                    s.standard_1, s.standard_3, s.standard_5, s.standard_10, s.standard_20,
                    s.true_1, s.true_3, s.true_5, s.true_10, s.true_20) END) AS hits
    FROM search_reports.ranking_sites s CROSS JOIN measure m
   WHERE s.account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR s.web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR s.search_engine = :engine::text)
     AND (:country::text IS NULL OR s.country = :country::text)
     AND (:device::text IS NULL OR s.device = :device::text)
     AND s.week BETWEEN (SELECT min(week) FROM weeks) AND (SELECT max(week) FROM weeks)
     AND s.site = ANY (ARRAY(SELECT site FROM top))
   GROUP BY s.week, s.site)
SELECT w.week, t.site, t.is_own AS is_ours,
       CASE WHEN w.gap IS NULL AND n.searches > 0
            THEN round(100.0 * coalesce(h.hits, 0) / (:top_n::integer * CASE WHEN m.by_volume THEN nullif(n.volume, 0) ELSE n.searches END), 2)
       END AS share,
       coalesce(w.gap, CASE WHEN n.searches IS NULL THEN 'no searches' WHEN m.by_volume AND n.volume = 0 THEN 'no search volumes' END, w.note) AS reason,
       search_reports.volume_notice(:weighted::boolean, m.by_volume) AS notice
  FROM weeks w CROSS JOIN top t CROSS JOIN measure m
  LEFT JOIN totals n ON n.week = w.week
  LEFT JOIN hits h ON h.week = w.week AND h.site = t.site
 ORDER BY t.is_own DESC, (SELECT hits FROM hits l WHERE l.site = t.site AND l.week = m.newest) DESC NULLS LAST, t.site, w.week
