-- Title: Lost entirely
-- Question: Which searches with volume do not find us any more?
-- More: more searches do not find us any more
-- From: search
-- Computed: Searches tracked in both weeks with an own place the week before and no own result of any type now. The volume is average_search_volume, else
--   approximate_search_volume. Where places were asked for to a depth only (max_rank), the text says so. A search counts once; the market with its best former place is named.
-- Datasets: keyword_rankings
-- Thresholds: least_volume
-- Order: 20
WITH pair AS (
  SELECT p.week, p.before, coalesce(p.silence, search_reports.unknown_searches(p.asked)) AS silence, search_reports.asked_depth(p.asked) AS depth
    FROM search_reports.own_places_pair(:account::bigint, :week::date) AS p
), moves AS (
  SELECT c.*, count(*) OVER (PARTITION BY c.query) AS markets
    FROM pair p CROSS JOIN LATERAL search_reports.ranking_changes(:account::bigint, NULL, NULL, NULL, NULL, 'standard', p.week, p.before) AS c
   WHERE p.silence IS NULL AND c.volume >= :least_volume::bigint AND c.place_before IS NOT NULL AND c.own_results = 0
), worst AS (
  SELECT DISTINCT ON (query) * FROM moves
   ORDER BY query, place_before, volume DESC, engine, country, device, web_property
)
SELECT w.query AS subject,
       format('“%s” %s any more ({tracked}%s): we were at place %s; searched %s times a month', w.query,
              CASE WHEN p.depth IS NULL THEN 'does not find us' ELSE format('does not find us in the first %s places', p.depth) END,
              CASE WHEN w.markets > 1 THEN format(', and in %s more', w.markets - 1) ELSE '' END, w.place_before,
              to_char(w.volume, 'FM999,999,999,990')) AS text,
       1.0 * w.volume / w.place_before AS weight,
       jsonb_build_object('query', w.query, 'url', w.url_before, 'device', w.device, 'engine', w.engine, 'country', w.country) AS about, p.silence
  FROM pair p LEFT JOIN worst w ON true
