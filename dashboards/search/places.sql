-- Title: Our best places
-- Question: What is our place for this keyword, on each device, in each engine and country?
-- Chart: line
-- X: week
-- Y: place
-- Series: tracked
-- Unit: place
-- Links: url = page
-- Empty: No week is published.
-- Computed: The best own result of each search for the keyword. A search that does not find us has no place:
--   the reason says to which place the search was tracked.
-- Datasets: keyword_rankings
-- Variables: account, keyword, web_property, engine, country, device, weeks, rank
-- Order: 10
WITH frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text, NULL, false)
), places AS (
  SELECT *
    FROM search_reports.search_places(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text, :keyword::text,
                                             (SELECT min(week) FROM frame))
), tracked AS (
  SELECT tracked, max(device) AS device, max(country) AS country FROM places GROUP BY tracked
)
SELECT f.week, t.tracked, CASE WHEN f.gap IS NULL THEN p.place END AS place, search_reports.bare_url(p.url) AS url,
       CASE WHEN p.place IS NOT NULL OR coalesce(o.gap, l.unasked) IS NULL THEN p.own_results END AS own_results, p.volume,
       coalesce(f.gap, CASE WHEN p.place IS NULL THEN coalesce(o.gap, l.unasked, 'not in the first ' || p.depth || ' places',
                                                               search_reports.unknown_searches(f.asked), 'not tracked') END,
                nullif(concat_ws('; ', f.note, l.change), '')) AS reason
  FROM frame f CROSS JOIN search_reports.own_sites(:account::bigint, NULL) AS o LEFT JOIN tracked t ON true
  LEFT JOIN places p ON p.week = f.week AND p.tracked = t.tracked
 CROSS JOIN LATERAL search_reports.line(search_reports.of_one_thing(f.asked),
                                        jsonb_build_object('device', t.device, 'country', t.country, 'site', array_to_string(o.ours, ',')),
                                        p.place IS NOT NULL) AS l
 ORDER BY t.tracked, f.week
