-- Title: Average best place by device and country
-- Question: What is our average place on each device, in each country?
-- Chart: line
-- X: week
-- Y: place
-- Series: market
-- Unit: place
-- Note: Lower is better. Only searches with an own result count; the table has the number of tracked searches, and of those
--   without an own result (absent), if they are tracked to the end.
-- Computed: Sum of the best own places, divided by the searches that have one.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, rank
-- Order: 30
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, NULL, false,
                                      :keyword_group::text[])
), markets AS (
  SELECT week, concat_ws(', ', coalesce(lower(device), '(none)'), coalesce(country, '(none)')) AS market, sum(searches) AS searches,
         sum(place_sum) AS place_sum,
         sum(searches_at[6]) AS absent
    FROM search_reports.ranking_places(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                       (SELECT min(week) FROM frame), :keyword_group::text[]) GROUP BY week, market
), unplaced AS (
  SELECT week, concat_ws(', ', coalesce(lower(device), '(none)'), coalesce(country, '(none)')) AS market, sum(searches) AS searches
    FROM search_reports.without_place(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                      (SELECT min(week) FROM frame), :keyword_group::text[]) GROUP BY week, market
), runs AS (
  SELECT r.*
    FROM (SELECT array_agg(market) AS markets, array_agg(week) AS weeks, array_agg(searches - absent) AS found FROM markets WHERE searches > absent) AS a
   CROSS JOIN LATERAL search_reports.line_runs(a.markets, a.weeks, a.found, NULL, 'searches find us') AS r
), own AS (
  SELECT * FROM search_reports.own_sites(:account::bigint, NULL)
)
SELECT f.week, k.market, CASE WHEN f.gap IS NULL THEN round(1.0 * m.place_sum / nullif(m.searches - m.absent, 0), 2) END AS place, m.searches AS tracked,
       m.searches - m.absent AS found,
       CASE WHEN f.depth IS NULL AND f.unknown IS NULL AND l.unasked IS NULL AND o.gap IS NULL THEN m.absent - coalesce(u.searches, 0) END AS absent,
       coalesce(f.gap, o.gap, CASE WHEN m.searches IS NULL THEN 'no searches' ELSE l.unasked END, CASE WHEN m.searches = m.absent THEN 'not found' END,
                nullif(concat_ws('; ', f.note, l.change, r.change), '')) AS reason,
       l.question || coalesce(', ' || r.amount || ' found', '') AS question, f.notice
  FROM frame f CROSS JOIN own o LEFT JOIN (SELECT DISTINCT market FROM markets) AS k ON true
  LEFT JOIN markets m ON m.week = f.week AND m.market = k.market LEFT JOIN runs r ON r.week = f.week AND r.line = k.market
  LEFT JOIN unplaced u ON u.week = f.week AND u.market = k.market
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('site', array_to_string(o.ours, ',')), m.searches > m.absent) AS l
 ORDER BY k.market, f.week
