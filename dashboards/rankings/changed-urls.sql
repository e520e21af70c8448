-- Title: Another page ranks
-- Question: Where do own pages compete with each other?
-- Chart: table
-- Links: query = search, url_before = page, url_now = page
-- Note: The 100 with the largest search volume. Several own results mean that pages compete (cannibalisation).
-- Empty: Every search has the same best page as in the week before.
-- Computed: Searches whose best own URL differs from the one in the week before, compared without scheme, www. and trailing slash. The volume is
--   average_search_volume of the newest week, else approximate_search_volume.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, rank, weeks, compare
-- Order: 70
WITH pair AS (
  SELECT * FROM search_reports.ranking_pair(:account::bigint, :web_property::text[], :country::text[], :device::text[], :weeks::text, :compare::text,
         :keyword_group::text[])
), searches AS MATERIALIZED (
  SELECT c.*
    FROM pair p
   CROSS JOIN LATERAL search_reports.ranking_changes(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                     p.week, p.before, :keyword_group::text[]) AS c
), shown AS (
  SELECT web_property, query, engine, country, device, place_before, url_before, place AS place_now, url AS url_now, own_results, volume
    FROM searches
   WHERE search_reports.bare_url(url) <> search_reports.bare_url(url_before)
   ORDER BY volume DESC NULLS LAST, query, device, web_property
   LIMIT 100
)
SELECT s.*, coalesce(p.reason, p.refusal, CASE WHEN NOT EXISTS (SELECT FROM searches) THEN 'No search of what is chosen is tracked in both weeks.'
                                    WHEN NOT EXISTS (SELECT FROM searches WHERE url IS NOT NULL AND url_before IS NOT NULL)
                                    THEN 'No search finds us in both weeks.' END) AS reason, p.notice
  FROM pair p LEFT JOIN shown s ON true
 ORDER BY s.volume DESC NULLS LAST, s.query, s.device, s.web_property
