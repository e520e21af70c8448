-- Title: Which of our pages ranks
-- Question: Does one page rank for this keyword, or do several take turns?
-- Chart: table
-- Links: url = page
-- Empty: No page of ours ranks for this keyword in these weeks.
-- Computed: Best own URLs of the searches for the keyword, compared without scheme, www. and slashes at the end: in how many weeks of these
--   each was the
--   best one, and its places there. Several pages that take turns compete with each other.
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, weeks, rank
-- Order: 20
WITH weeks AS (
  SELECT array_agg(week) FILTER (WHERE gap IS NULL) AS known, max(week) FILTER (WHERE gap IS NULL) AS newest,
         string_agg(format('The week of %s is left out: %s.', week, gap), ' ' ORDER BY week)
           FILTER (WHERE week IS NOT NULL AND gap IS NOT NULL) AS notice, max(gap) AS gap
    FROM search_reports.measure_weeks('found', :account::bigint, :weeks::text)
), places AS MATERIALIZED (
  SELECT p.*, w.newest FROM weeks w CROSS JOIN LATERAL search_reports.search_lines(:choices, w.known) AS p
), pages AS (
  SELECT search_reports.bare_url(url) AS url, tracked, count(*) AS weeks, min(week) AS first_week, max(week) AS last_week,
         min(place) AS best_place, max(place) FILTER (WHERE week = newest) AS place_now
    FROM places WHERE url IS NOT NULL GROUP BY 1, 2
)
SELECT p.*, CASE WHEN w.known IS NULL THEN coalesce('None of these weeks has figures: ' || w.notice, w.gap)
                 ELSE (SELECT min(lacks) FROM places HAVING bool_and(own_results IS NULL)) END AS reason, w.notice
  FROM weeks w LEFT JOIN pages p ON true
 ORDER BY p.place_now NULLS LAST, p.weeks DESC, p.url, p.tracked
