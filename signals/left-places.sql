-- Title: Left the first places
-- Question: Which searches with volume have left the first 3 or the first 10 places?
-- More: more searches have left the first 3 or 10 places
-- From: search
-- Computed: Searches tracked in both weeks whose best own place by standard rank was within the first 3, or the first 10, and is behind
--   them now. The volume is average_search_volume, else approximate_search_volume. A search counts once; its worst market is named.
-- Datasets: keyword_rankings
-- Thresholds: least_volume
-- Order: 10
WITH pair AS MATERIALIZED (
  SELECT * FROM search_reports.signal_weeks('average_place', search_reports.all_of(:account::bigint), :week::date)
), moves AS (
  SELECT m.*, CASE WHEN m.place_before <= 3 THEN 3 ELSE 10 END AS first_places, count(*) OVER (PARTITION BY m.query) AS markets
    FROM pair p CROSS JOIN LATERAL search_reports.moved_places(search_reports.all_of(:account::bigint), p.week, p.before) AS m
   WHERE m.volume >= :least_volume::bigint AND (m.place_before <= 3 AND m.place > 3 OR m.place_before <= 10 AND m.place > 10)
), worst AS (
  SELECT DISTINCT ON (query) * FROM moves
   ORDER BY query, volume * (1.0 / place_before - 1.0 / place) DESC, engine, country, device
)
SELECT w.query AS subject,
       format('“%s” has left the first %s ({tracked}%s): place %s, after %s; searched %s times a month', w.query, w.first_places,
              CASE WHEN w.markets > 1 THEN format(', and in %s more', w.markets - 1) ELSE '' END, w.place, w.place_before,
              to_char(w.volume, 'FM999,999,999,990')) AS text,
       w.volume * (1.0 / w.place_before - 1.0 / w.place) AS weight,
       jsonb_build_object('query', w.query, 'device', w.device, 'engine', w.engine, 'country', w.country) AS about, p.silence
  FROM pair p LEFT JOIN worst w ON true
