-- Title: Sites
-- Question: Which sites overtook us in the first places, and which did we overtake?
-- Chart: movers
-- Links: site
-- X: site
-- Y: share_before, share_now
-- Changes: lead_won
-- Beside: lead_won, We overtook, Overtook us
-- Unit: %
-- From: rankings/market-share
-- Empty: No site has overtaken us (our sites together, if there are several), and we have overtaken none. If competitors are configured or chosen,
--   only they are compared.
-- Computed: Market shares of the sites and of our own sites together, as on the board Rankings. lead_won is by how many points our lead has grown
--   (shrunk). Only sites that are ahead of us and were not, and those that are behind us and were not: a site with the same share as ours is neither. If
--   competitors are named, in jobs.config.yaml or by choice, only these; else any site.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, compare, top_n, weighted, rank, own, competitor
-- Order: 130
WITH pair AS (
  SELECT * FROM search_reports.ranking_pair(:account::bigint, :web_property::text[], :country::text[], :device::text[], :weeks::text, :compare::text)
), frame AS (
  SELECT *
    FROM search_reports.ranking_frame(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :weeks::text,
                                      :top_n::integer, :weighted::boolean)
), weeks AS (
  SELECT p.*, f.places, f.weight, f.is_by_volume, e.weight AS weight_before,
         CASE WHEN p.before IS NOT NULL THEN coalesce(f.gap, CASE WHEN e.week IS NULL THEN format('The week of %s is not among the weeks chosen.',
                                                                                                  p.before) END, e.gap,
                                                      CASE WHEN f.asked ->> 'question' IS DISTINCT FROM e.asked ->> 'question'
                                                        THEN format('Not comparable: %s, before %s.', coalesce(f.asked ->> 'question', 'not asked for'),
                                                            coalesce(e.asked ->> 'question', 'not asked for')) END) END AS gap
    FROM pair p LEFT JOIN frame f ON f.week = p.week LEFT JOIN frame e ON e.week = p.before
), named AS (
  SELECT search_reports.competitor_patterns(:account::bigint, :competitor::text[]) AS patterns
), shown AS (
  SELECT s.site, round(s.share_before, 2) AS share_before, round(s.share, 2) AS share_now, round(s.our_share_before, 2) AS our_share_before,
         round(s.our_share, 2) AS our_share_now, round(s.our_share - s.share - (s.our_share_before - s.share_before), 2) AS lead_won
    FROM weeks w CROSS JOIN named n
   CROSS JOIN LATERAL search_reports.site_leads(:account::bigint, :web_property::text[], :engine::text[], :country::text[], :device::text[], :rank::text,
                                                w.places, w.is_by_volume, :own::text[], w.week, w.weight, w.before, w.weight_before) AS s
   WHERE w.before IS NOT NULL AND w.gap IS NULL AND (n.patterns = '{}' OR '.' || lower(s.site COLLATE "C") LIKE ANY (n.patterns))
     AND (s.share < s.our_share AND s.share_before >= s.our_share_before OR s.share > s.our_share AND s.share_before <= s.our_share_before)
)
SELECT CASE WHEN s.site IS NOT NULL THEN w.week END AS week, s.*, coalesce(w.reason, w.refusal, w.gap) AS reason, w.notice
  FROM weeks w LEFT JOIN shown s ON true
 ORDER BY s.lead_won DESC, s.site
