-- Title: A rival overtakes
-- Question: Which site now has more of the first ten places than we have?
-- More: more sites have overtaken us
-- From: site
-- Computed: Market share in the first 10 places, by search volume where volumes are known, as on the board Rankings: sites that had at most the
--   share of our own sites together the week before and have more now, by least_lead points or more. Where jobs name competitors, these;
--   else any site.
-- Datasets: keyword_rankings
-- Thresholds: least_lead
-- Order: 40
WITH pair AS (
  SELECT * FROM search_reports.own_places_pair(:account::bigint, :week::date)
), frame AS (
  SELECT * FROM search_reports.ranking_frame(:account::bigint, NULL, NULL, NULL, NULL, format('%s..%s', :week::date - 14, :week::date), 10, true)
), weeks AS (
  SELECT p.week, p.before, f.places, f.is_by_volume, f.weight, b.weight AS weight_before, coalesce(p.silence, f.gap, b.gap, f.asked ->> 'change') AS silence
    FROM pair p LEFT JOIN frame f ON f.week = p.week LEFT JOIN frame b ON b.week = p.before
), sites AS (
  SELECT r.site, r.is_own, 100 * sum(r.results) FILTER (WHERE r.week = w.week) / (w.places * w.weight) AS share,
         100 * sum(r.results) FILTER (WHERE r.week = w.before) / (w.places * w.weight_before) AS before
    FROM weeks w
   CROSS JOIN LATERAL search_reports.ranking_results(:account::bigint, NULL, NULL, NULL, NULL, 'standard', w.places, w.is_by_volume, w.before, w.week,
                                                     '{}') AS r
   WHERE w.silence IS NULL
   GROUP BY r.site, r.is_own, w.week, w.places, w.weight, w.weight_before
), own AS (
  SELECT coalesce(sum(share), 0) AS share, coalesce(sum(before), 0) AS before, count(*) AS sites FROM sites WHERE is_own
), rivals AS (
  SELECT s.site, s.share, coalesce(s.before, 0) AS before, o.share AS ours, o.before AS ours_before, o.sites
    FROM sites s CROSS JOIN own o CROSS JOIN (SELECT search_reports.competitor_patterns(:account::bigint) AS pinned) AS c
   WHERE NOT s.is_own AND s.site IS NOT NULL AND o.sites > 0 AND coalesce(s.before, 0) <= o.before AND s.share >= o.share + :least_lead::numeric
     AND (c.pinned = '{}' OR '.' || lower(s.site COLLATE "C") LIKE ANY (c.pinned))
)
SELECT r.site AS subject,
       format('%s has overtaken %s in the first %s places: %s %% against our %s %% (the week before %s %% against %s %%)', r.site,
              CASE WHEN r.sites > 1 THEN format('our %s sites together', r.sites) ELSE 'us' END, w.places,
              round(r.share, 1), round(r.ours, 1), round(r.before, 1), round(r.ours_before, 1)) AS text,
       r.share - r.ours AS weight, jsonb_build_object('site', r.site) AS about, w.silence
  FROM weeks w LEFT JOIN rivals r ON true
