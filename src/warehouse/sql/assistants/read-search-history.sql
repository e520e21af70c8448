-- The places of one search over the newest weeks, each way it is tracked by itself. A place that is not known is a gap with its reason, as on the board
-- Search; without a gap, a place that is null says that we were not found as deep as the search was tracked.
-- Params: :accountId, :search (the keyword, whatever its case), :weeks, :most.
-- Result: week, gap, note, engine, country, device, locode, webProperty, place, truePlace (of our best result), url, volume, and how deep it was tracked.
-- Locks: none.
-- Not null: week.
WITH weeks AS MATERIALIZED (
  SELECT * FROM search_reports.measure_weeks('found', :accountId::bigint, :weeks::text) AS w WHERE w.week IS NOT NULL
), found AS MATERIALIZED (
  SELECT DISTINCT ON (r.week, r.search_key) r.*
    FROM search_reports.search_facts r
   WHERE r.account_id = :accountId::bigint AND r.week = ANY (ARRAY(SELECT week FROM weeks)) AND lower(r.query) = lower(:search::text)
   ORDER BY r.week, r.search_key, r.period_start DESC, r.period_end DESC
), searches AS (
  SELECT DISTINCT search_key, search_engine, country, device, locode, web_property_id FROM found
)
SELECT w.week::text, g.gap, w.note, s.search_engine AS engine, s.country, s.device, s.locode,
       s.web_property_id AS "webProperty", CASE WHEN g.gap IS NULL THEN r.own_standard END AS place, CASE WHEN g.gap IS NULL THEN r.own_true END AS "truePlace",
       CASE WHEN g.gap IS NULL THEN r.own_url_standard END AS url, r.volume, r.deepest_standard AS "trackedTo"
  FROM weeks w
  LEFT JOIN searches s ON true
  LEFT JOIN found r ON r.week = w.week AND r.search_key = s.search_key
 CROSS JOIN LATERAL (
       SELECT coalesce(w.gap, CASE WHEN r.week IS NULL THEN coalesce((SELECT min(search_reports.lacks_places(c.first_loaded, c.last_loaded, c.is_whole, NULL))
                                                                    FROM search_reports.search_facts c WHERE c.account_id = :accountId::bigint AND c.week = w.week),
                                                                 'not among the searches of this week')
                                   WHEN coalesce(r.own_standard, r.own_true) IS NULL THEN search_reports.lacks_us(r.shows_us) END) AS gap) AS g
 ORDER BY w.week DESC, s.search_engine, s.country, s.device, s.locode, s.web_property_id LIMIT :most
