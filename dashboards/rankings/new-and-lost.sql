-- Title: New and lost searches
-- Question: For which searches are we found that we were not a week ago, and the other way round?
-- Chart: table
-- Note: The 100 with the largest search volume.
-- Empty: No search was won or lost since the week before, or that week is missing.
-- Computed: Searches tracked in both weeks with an own result in one of them only.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, rank
-- Order: 60
WITH weeks AS (
  SELECT week
    FROM search_reports.weeks
   WHERE dataset = 'keyword_rankings' AND account_id = :account::bigint AND state <> 'summarising' AND is_published
   ORDER BY week DESC
   LIMIT 2), bounds AS (
  SELECT max(week) AS newest, CASE WHEN max(week) - min(week) = 7 THEN min(week) END AS before FROM weeks), now AS (
  SELECT DISTINCT ON (search_key) search_key, query, search_engine, country, device, volume,
         CASE :rank::text WHEN 'standard' THEN own_standard ELSE own_true END AS place,
         CASE :rank::text WHEN 'standard' THEN own_url_standard ELSE own_url_true END AS url
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
         CASE :rank::text WHEN 'standard' THEN own_url_standard ELSE own_url_true END AS url
    FROM search_reports.ranking_searches
   WHERE account_id = :account::bigint
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:engine::text IS NULL OR search_engine = :engine::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:device::text IS NULL OR device = :device::text)
     AND week = (SELECT before FROM bounds)
   ORDER BY search_key, period_start DESC, period_end DESC)
SELECT CASE WHEN e.place IS NULL THEN 'new' ELSE 'lost' END AS change, n.query, n.search_engine AS engine, n.country, n.device,
       coalesce(n.place, e.place) AS place, coalesce(n.url, e.url) AS url, n.volume
  FROM now n JOIN earlier e USING (search_key)
 WHERE (n.place IS NULL) <> (e.place IS NULL)
 ORDER BY n.volume DESC NULLS LAST, n.query, n.device
 LIMIT 100
