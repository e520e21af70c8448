-- Title: A rival rises
-- Question: Which site has more of the first ten places than in any of the four weeks before?
-- More: more sites have risen
-- From: site
-- Computed: Market share in the first 10 places, by search volume where volumes are known, as on the board Rankings: sites whose share is higher
--   than in each of the four weeks before, and by least_rise points or more above the mean of these. Where jobs name competitors, these; else
--   any site that is not ours. Of the five weeks none may lack or answer another question.
-- Datasets: keyword_rankings
-- Weeks: 5
-- Thresholds: least_rise
-- Order: 41
WITH pair AS (
  SELECT * FROM search_reports.own_places_pair(:account::bigint, :week::date)
), weeks AS (
  SELECT f.* FROM search_reports.ranking_frame(:account::bigint, NULL, NULL, NULL, NULL, format('%s..%s', :week::date - 28, :week::date), 10, true) AS f
   WHERE f.week BETWEEN :week::date - 28 AND :week::date
), span AS (
  SELECT coalesce(p.silence, min(w.gap), min(w.asked ->> 'change') FILTER (WHERE w.week > :week::date - 28),
                  (SELECT format('being revised (%s)', min(job)) FROM search_reports.revisions
                    WHERE dataset = 'keyword_rankings' AND account_id = :account::bigint AND week BETWEEN :week::date - 28 AND :week::date HAVING count(*) > 0),
                  CASE WHEN count(w.week) < 5 THEN 'fewer than four weeks before it' END) AS silence
    FROM pair p LEFT JOIN weeks w ON true
   GROUP BY p.silence
), shares AS (
  SELECT r.site, w.week, w.places, 100 * sum(r.results) / (w.places * w.weight) AS share
    FROM span s CROSS JOIN weeks w
   CROSS JOIN LATERAL search_reports.ranking_results(:account::bigint, NULL, NULL, NULL, NULL, 'standard', w.places, w.is_by_volume, w.week, w.week, '{}') AS r
   WHERE s.silence IS NULL AND NOT r.is_own AND r.site IS NOT NULL
   GROUP BY r.site, w.week, w.places, w.weight
), sites AS (
  SELECT site, max(places) AS places, max(share) FILTER (WHERE week = :week::date) AS share,
         coalesce(max(share) FILTER (WHERE week < :week::date), 0) AS most, coalesce(sum(share) FILTER (WHERE week < :week::date), 0) / 4 AS mean
    FROM shares
   GROUP BY site
), risen AS (
  SELECT s.* FROM sites s CROSS JOIN (SELECT search_reports.competitor_patterns(:account::bigint) AS pinned) AS c
   WHERE s.share > s.most AND s.share >= s.mean + :least_rise::numeric
     AND (c.pinned = '{}' OR '.' || lower(s.site COLLATE "C") LIKE ANY (c.pinned))
)
SELECT r.site AS subject,
       format('%s rises: %s %% of the first %s places, more than in any of the four weeks before (%s %% on average)', r.site, round(r.share, 1),
              r.places, round(r.mean, 1)) AS text,
       r.share - r.mean AS weight, jsonb_build_object('site', r.site) AS about, s.silence
  FROM span s LEFT JOIN risen r ON true
