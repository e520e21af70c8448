-- Title: A rival overtakes
-- Question: Which site now has more of the first ten places than we have?
-- More: more sites have overtaken us
-- From: site
-- Computed: Market share in the first 10 places, by search volume where volumes are known: sites that had at most the share of our own
--   sites together the week before and have more now, by least_lead points or more, unrounded. Where jobs name competitors, these; else
--   any site. A week of which less than 80 % of the searches are those of the week before is not told of.
-- Datasets: keyword_rankings
-- Thresholds: least_lead
-- Order: 40
WITH pair AS MATERIALIZED (
  SELECT p.week, p.before, coalesce(p.silence, CASE WHEN l.matched < 0.8 THEN l.reason END) AS silence, l.level AS ours, l.level_before
    FROM search_reports.signal_weeks('visibility', search_reports.all_of(:account::bigint), :week::date) AS p
    LEFT JOIN LATERAL (
         SELECT k.*, lag(k.level) OVER (ORDER BY k.week) AS level_before
           FROM search_reports.levels('visibility', NULL, search_reports.all_of(:account::bigint), p.before || '..' || p.week) AS k) AS l
      ON l.week = p.week
), sites AS (
  SELECT s.site, s.is_own, coalesce(max(s.share) FILTER (WHERE s.week = p.week), 0) AS share,
         coalesce(max(s.share) FILTER (WHERE s.week = p.before), 0) AS before
    FROM pair p CROSS JOIN LATERAL search_reports.site_shares(:account::bigint, p.week, 2) AS s
   WHERE p.silence IS NULL
   GROUP BY s.site, s.is_own
), own AS (
  SELECT p.ours AS share, p.level_before AS before, (SELECT count(*) FROM sites WHERE is_own) AS sites FROM pair p
), rivals AS (
  SELECT s.site, s.share, s.before, o.share AS ours, o.before AS ours_before, o.sites,
         search_reports.told_apart(s.share, o.share) AS digits, search_reports.told_apart(s.before, o.before) AS digits_before
    FROM sites s CROSS JOIN own o CROSS JOIN (SELECT search_reports.competitor_patterns(:account::bigint) AS pinned) AS c
   WHERE NOT s.is_own AND o.sites > 0 AND s.before <= o.before AND s.share > o.share
     AND s.share >= o.share + :least_lead::numeric AND (c.pinned = '{}' OR '.' || s.site LIKE ANY (c.pinned))
)
SELECT r.site AS subject,
       format('%s has overtaken %s in the first 10 places: %s %% against our %s %% (the week before %s)', r.site,
              CASE WHEN r.sites > 1 THEN format('our %s sites together', r.sites) ELSE 'us' END,
              round(r.share, r.digits), round(r.ours, r.digits),
              CASE WHEN r.before = r.ours_before THEN format('%s %% each', round(r.before, r.digits_before))
                   ELSE format('%s %% against %s %%', round(r.before, r.digits_before), round(r.ours_before, r.digits_before)) END) AS text,
       r.share - r.ours AS weight, jsonb_build_object('site', r.site) AS about, p.silence
  FROM pair p LEFT JOIN rivals r ON true
