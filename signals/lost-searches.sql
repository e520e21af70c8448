-- Title: Lost their place
-- Question: Which searches with volume have no place of ours any more?
-- More: more searches have no place of ours any more
-- From: search
-- Computed: Searches tracked in both weeks with an own place the week before and none now: within as many places as were loaded
--   (max_rank, else the deepest result of the search), which the text says. A search whose results of ours have no place is told as
--   such. The volume is average_search_volume, else approximate_search_volume. A search counts once; the market with its best former
--   place is named.
-- Datasets: keyword_rankings
-- Thresholds: least_volume
-- Order: 20
WITH pair AS MATERIALIZED (
  SELECT * FROM search_reports.signal_weeks('found', search_reports.all_of(:account::bigint), :week::date)
), moves AS (
  SELECT m.*, count(*) OVER (PARTITION BY m.query) AS markets
    FROM pair p CROSS JOIN LATERAL search_reports.moved_places(search_reports.all_of(:account::bigint), p.week, p.before) AS m
   WHERE m.volume >= :least_volume::bigint AND m.place_before IS NOT NULL AND m.place IS NULL
), worst AS (
  SELECT DISTINCT ON (query) * FROM moves
   ORDER BY query, place_before, volume DESC, engine, country, device
)
SELECT w.query AS subject,
       format('“%s” %s ({tracked}%s): we were at place %s; searched %s times a month', w.query,
              CASE WHEN w.own_results > 0 THEN 'finds us only without a place now'
                   WHEN w.depth IS NULL THEN 'does not find us any more'
                   ELSE format('does not find us in the first %s places any more', w.depth) END,
              CASE WHEN w.markets > 1 THEN format(', and in %s more', w.markets - 1) ELSE '' END, w.place_before,
              to_char(w.volume, 'FM999,999,999,990')) AS text,
       1.0 * w.volume / w.place_before AS weight,
       jsonb_build_object('query', w.query, 'url', w.url_before, 'device', w.device, 'engine', w.engine,
                          'country', w.country) AS about, p.silence
  FROM pair p LEFT JOIN worst w ON true
