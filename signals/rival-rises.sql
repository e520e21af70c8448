-- Title: A rival rises
-- Question: Which site has more of the first ten places than in any of the four weeks before?
-- More: more sites have risen
-- From: site
-- Computed: Market share in the first 10 places, by search volume where volumes are known: sites whose share is higher than in each of
--   the four weeks before, and by least_rise points or more above the mean of these, unrounded. Where jobs name competitors, these;
--   else any site that is not ours. Of the five weeks none may lack, and each must have 80 % of the searches of the week before.
-- Datasets: keyword_rankings
-- Weeks: 5
-- Thresholds: least_rise
-- Order: 41
WITH levels AS MATERIALIZED (
  SELECT l.*, w.gap, w.note
    FROM search_reports.measure_weeks('visibility', :account::bigint, format('%s..%s', :week::date - 28, :week::date)) AS w
    LEFT JOIN search_reports.levels('visibility', NULL, search_reports.all_of(:account::bigint),
                                    format('%s..%s', :week::date - 28, :week::date)) AS l ON l.week = w.week
), span AS MATERIALIZED (
  SELECT coalesce(p.silence, min(coalesce(l.gap, l.note, CASE WHEN l.level IS NULL OR l.matched < 0.8 THEN l.reason END)),
                  (SELECT format('being revised (%s)', min(job)) FROM search_reports.revisions
                    WHERE dataset = 'keyword_rankings' AND account_id = :account::bigint AND week BETWEEN :week::date - 28 AND :week::date
                   HAVING count(*) > 0),
                  CASE WHEN count(*) < 5 THEN 'fewer than four weeks before it' END) AS silence
    FROM search_reports.signal_weeks('visibility', search_reports.all_of(:account::bigint), :week::date) AS p LEFT JOIN levels l ON true
   GROUP BY p.silence
), sites AS (
  SELECT r.site, max(r.share) FILTER (WHERE r.week = :week::date) AS share,
         coalesce(max(r.share) FILTER (WHERE r.week < :week::date), 0) AS most,
         coalesce(sum(r.share) FILTER (WHERE r.week < :week::date), 0) / 4 AS mean
    FROM span s CROSS JOIN LATERAL search_reports.site_shares(:account::bigint, :week::date, 5) AS r
   WHERE s.silence IS NULL AND NOT r.is_own
   GROUP BY r.site
), risen AS (
  SELECT s.* FROM sites s CROSS JOIN (SELECT search_reports.competitor_patterns(:account::bigint) AS pinned) AS c
   WHERE s.share > s.most AND s.share >= s.mean + :least_rise::numeric
     AND (c.pinned = '{}' OR '.' || s.site LIKE ANY (c.pinned))
)
SELECT r.site AS subject,
       format('%s rises: %s %% of the first 10 places, more than in any of the four weeks before (%s %% on average)', r.site,
              round(r.share, search_reports.told_apart(r.share, r.mean)),
              round(r.mean, search_reports.told_apart(r.share, r.mean))) AS text,
       r.share - r.mean AS weight, jsonb_build_object('site', r.site) AS about, s.silence
  FROM span s LEFT JOIN risen r ON true
