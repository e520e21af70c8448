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
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, NULL, false)
), places AS (
  SELECT *
    FROM search_reports.page_places(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text, :page::text,
                                    (SELECT min(week) FROM frame))
), known AS (
  SELECT EXISTS (SELECT FROM places) OR search_reports.is_own_site(:account::bigint, split_part(:page::text, '/', 1)) AS is_ours
)
SELECT f.week, CASE WHEN g.gap IS NULL THEN coalesce(p.searches, 0) END AS searches, CASE WHEN g.gap IS NULL THEN p.place END AS best_place,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change), '')) AS reason, CASE WHEN g.gap IS NULL THEN l.question END AS question
  FROM frame f CROSS JOIN known k
  LEFT JOIN places p ON p.week = f.week
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('page', :page::text), p.searches > 0) AS l
 CROSS JOIN LATERAL (SELECT coalesce(f.gap, l.unasked, CASE WHEN NOT k.is_ours THEN 'weeks are kept of our own pages only' END) AS gap) AS g
 ORDER BY f.week
