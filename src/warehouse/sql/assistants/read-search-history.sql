-- The places of one search over the newest weeks. A week without figures is a gap with its reason.
-- Params: :accountId, :search (the keyword, whatever its case), :weeks, :most.
-- Result: week, gap, engine, country, device, locode, place, truePlace (of our best result; null when we are absent), url, volume, and how deep it was tracked.
-- Locks: none.
-- Not null: week.
WITH weeks AS MATERIALIZED (
  SELECT week, gap, note FROM search_reports.newest_weeks('keyword_rankings', :accountId::bigint, :weeks::text))
SELECT w.week::text, coalesce(w.gap, CASE WHEN r.query IS NULL THEN 'not among the searches of this week' END) AS gap, w.note,
       r.search_engine AS engine, r.country, r.device, r.locode, r.own_standard AS place, r.own_true AS "truePlace",
       r.own_url_standard AS url, r.volume, r.deepest_standard AS "trackedTo"
  FROM weeks w
  LEFT JOIN search_reports.ranking_searches r
    ON w.gap IS NULL AND r.account_id = :accountId::bigint AND r.week = w.week AND lower(r.query) = lower(:search::text)
 ORDER BY w.week DESC, r.search_engine, r.country, r.device, r.locode LIMIT :most
