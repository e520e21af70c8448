-- Title: Market share
-- Question: How much of the first places in our searches does this site hold, and how much do we?
-- Chart: line
-- X: week
-- Y: share
-- Series: who
-- Unit: %
-- Measure: visibility
-- Against: rivals/market-share
-- Empty: No week is published.
-- Computed: As market share on the board Rankings: what the site holds of the first places of the tracked searches, each search weighted by
--   its volume or
--   by 1. We are all own sites together.
-- Datasets: keyword_rankings
-- Variables: account, site, web_property, engine, country, device, weeks, top_n, weighted, rank
-- Order: 10
SELECT week, site AS who, is_ours, round(share, 2) AS share, reason, question
  FROM (SELECT l.week, l.site, l.is_ours, CASE WHEN max(l.part) OVER () > 0 THEN l.level END AS share,
               CASE WHEN l.level IS NOT NULL AND max(l.part) OVER () = 0
                    THEN 'no result of it within these places in any week shown; sites count by their root domain'
                    ELSE l.reason END AS reason, l.question, 1 AS place
          FROM search_reports.site_levels('first_places', NULL, :choices, ARRAY[:site::text], :weeks::text) AS l
         UNION ALL
        SELECT l.week, 'our sites', true, l.level, l.reason, l.question, 2
          FROM search_reports.levels('visibility', NULL, :choices, :weeks::text) AS l) AS lines
 ORDER BY place, week
