-- Title: Searches that find it
-- Question: For how many tracked searches does this page rank, week by week?
-- Chart: line
-- X: week
-- Y: searches
-- Unit: searches
-- Empty: No week is published.
-- Computed: Searches with a result that is this page (its URL without scheme, www. and slashes at the end). Weeks are kept
--   of own pages only. best_place is its best place in any of them.
-- Datasets: keyword_rankings
-- Variables: account, page, web_property, engine, country, device, weeks, rank
-- Order: 10
WITH weeks AS (
  SELECT * FROM search_reports.measure_weeks('found', :account::bigint, :weeks::text)
), tracked AS (
  SELECT s.week, bool_or(s.shows_us AND s.first_loaded = 1) AS shows_us
    FROM search_reports.searches(:choices, ARRAY(SELECT week FROM weeks)) AS s GROUP BY s.week
)
SELECT w.week, CASE WHEN g.gap IS NULL THEN coalesce(p.searches, 0) END AS searches, CASE WHEN g.gap IS NULL THEN p.place END AS best_place,
       coalesce(g.gap, w.note) AS reason
  FROM weeks w
  LEFT JOIN tracked t ON t.week = w.week
  LEFT JOIN search_reports.page_places(:choices, :page::text, (SELECT min(week) FROM tracked)) AS p ON p.week = w.week
 CROSS JOIN LATERAL (
       SELECT coalesce(w.gap, CASE WHEN p.searches > 0 THEN NULL WHEN t.week IS NULL THEN 'nothing that is chosen is there in this week'
                                   WHEN NOT search_reports.is_own_page(:account::bigint, :page::text)
                                   THEN 'weeks are kept of our own pages only'
                                   WHEN NOT t.shows_us THEN 'our results, or the first places, were not asked for' END) AS gap) AS g
 ORDER BY w.week
