-- The places of one search over the newest weeks, each way it is tracked by itself. A place that is not known is a gap with its reason, as on the board
-- Search; without a gap, a place that is null says that we were not found as deep as the search was tracked.
-- Params: :accountId, :search (the keyword, whatever its case), :weeks, :most.
-- Result: week, gap, note, engine, country, device, locode, webProperty, place, truePlace (of our best result), url, volume, and how deep it was tracked.
-- Locks: none.
-- Not null: week.
WITH frame AS MATERIALIZED (
  SELECT * FROM search_reports.ranking_frame(:accountId::bigint, NULL, NULL, NULL, NULL, :weeks::text, NULL, false)
), found AS MATERIALIZED (
  SELECT DISTINCT ON (r.week, r.search_key) r.*
    FROM search_reports.search_facts r
   WHERE r.account_id = :accountId::bigint AND r.week >= (SELECT min(week) FROM frame) AND lower(r.query) = lower(:search::text)
   ORDER BY r.week, r.search_key, r.period_start DESC, r.period_end DESC
), searches AS (
  SELECT DISTINCT search_key, search_engine, country, device, locode, web_property_id FROM found
)
SELECT f.week::text, g.gap, nullif(concat_ws('; ', f.note, l.change), '') AS note, s.search_engine AS engine, s.country, s.device, s.locode,
       s.web_property_id AS "webProperty", CASE WHEN g.gap IS NULL THEN r.own_standard END AS place, CASE WHEN g.gap IS NULL THEN r.own_true END AS "truePlace",
       CASE WHEN g.gap IS NULL THEN r.own_url_standard END AS url, r.volume, r.deepest_standard AS "trackedTo"
  FROM frame f CROSS JOIN search_reports.own_sites(:accountId::bigint, NULL) AS o
  LEFT JOIN searches s ON true
  LEFT JOIN found r ON r.week = f.week AND r.search_key = s.search_key
 CROSS JOIN LATERAL search_reports.line(search_reports.of_one_thing(f.asked), jsonb_build_object('device', s.device, 'country', s.country, 'site', array_to_string(o.ours, ',')),
                                        coalesce(r.own_standard, r.own_true) IS NOT NULL) AS l
 CROSS JOIN LATERAL (
       SELECT coalesce(f.gap, CASE WHEN coalesce(r.own_standard, r.own_true) IS NOT NULL THEN NULL WHEN r.week IS NOT NULL THEN coalesce(o.gap, l.unasked)
                                   ELSE coalesce(l.unasked, search_reports.unknown_searches(f.asked), 'not among the searches of this week') END) AS gap) AS g
 WHERE f.week IS NOT NULL
 ORDER BY f.week DESC, s.search_engine, s.country, s.device, s.locode, s.web_property_id LIMIT :most
