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
-- Empty: No site has overtaken us (our sites together, if there are several), and we have overtaken none. If competitors are configured
--   or chosen, only they are compared.
-- Computed: Market shares of the sites and of our own sites together. lead_won is by how many points our lead has grown (shrunk). Only
--   sites that are ahead of us and were not, and those that are behind us and were not, unrounded. If competitors are named, in
--   jobs.config.yaml or by choice, only these.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, weeks, compare, top_n, weighted, rank, competitor
-- Order: 130
WITH pair AS MATERIALIZED (
  SELECT p.*, search_reports.lacks_between('visibility', :choices, p.week, p.before) AS lacks
    FROM search_reports.measure_pair('visibility', :account::bigint, :weeks::text, :compare::text) AS p
), crossed AS (
  SELECT p.*, s.*, s.our_share - s.share - (s.our_share_before - s.share_before) AS lead_won
    FROM pair p
   CROSS JOIN (SELECT search_reports.competitor_patterns(:account::bigint, :competitor::text[]) AS patterns) AS n
    LEFT JOIN LATERAL search_reports.rival_leads(:choices, p.week, p.before) AS s
      ON p.before IS NOT NULL AND (n.patterns = '{}' OR '.' || lower(s.site COLLATE "C") LIKE ANY (n.patterns))
     AND (s.share < s.our_share AND s.share_before >= s.our_share_before OR s.share > s.our_share AND s.share_before <= s.our_share_before)
)
SELECT CASE WHEN site IS NOT NULL THEN week END AS week, site, round(share_before, 2) AS share_before, round(share, 2) AS share_now,
       round(our_share_before, 2) AS our_share_before, round(our_share, 2) AS our_share_now, round(lead_won, 2) AS lead_won,
       coalesce(reason, refusal, lacks) AS reason, notice
  FROM crossed
 ORDER BY crossed.lead_won DESC, site
