-- Title: Which of our pages ranks
-- Question: Does one page rank for this keyword, or do several take turns?
-- Chart: table
-- Links: url = page
-- Empty: No page of ours ranks for this keyword in these weeks.
-- Computed: Best own URLs of the searches for the keyword, compared without scheme, www. and slashes at the end: in how many weeks of these each was the
--   best one, and its places there. Several pages that take turns compete with each other.
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, weeks, rank
-- Order: 20
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, NULL, false)
), told AS (
  SELECT t.*, (SELECT max(week) FROM frame WHERE gap IS NULL) AS newest
    FROM search_reports.weeks_told((SELECT jsonb_agg(jsonb_build_object('week', week, 'gap', gap, 'unknown',
                                                                        search_reports.our_places_gap(:account::bigint, asked, NULL))) FROM frame)) AS t
), pages AS (
  SELECT search_reports.bare_url(p.url) AS url, p.tracked, count(*) AS weeks, min(p.week) AS first_week, max(p.week) AS last_week, min(p.place) AS best_place,
         max(p.place) FILTER (WHERE p.week = t.newest) AS place_now
    FROM told t
   CROSS JOIN LATERAL search_reports.search_places(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                   :keyword::text,
                                                                (SELECT min(week) FROM frame)) AS p
    JOIN frame f ON f.week = p.week AND f.gap IS NULL
   WHERE p.url IS NOT NULL
   GROUP BY 1, 2
)
SELECT p.*, CASE WHEN p.url IS NULL THEN t.reason END AS reason, t.notice
  FROM told t LEFT JOIN pages p ON true
 ORDER BY p.place_now NULLS LAST, p.weeks DESC, p.url, p.tracked
