-- Title: Market shares
-- Question: How much of the first places do we and others hold, and who gains?
-- Chart: table
-- Links: site
-- Changes: change
-- Note: Our sites, the competitors, and the ten largest sites. The change is like for like: of the searches that both weeks have.
-- Empty: No site holds any of the first places.
-- Computed: What a site holds of the first places of the tracked searches, each weighted by its volume or by 1. added and dropped are what
--   searches add that only one of the weeks has: with the change they make up the difference of the two shares. reading says whether the
--   change is more than chance, by keyword; it is empty where fewer than six changed.
-- Datasets: keyword_rankings
-- Variables: account, web_property, engine, country, device, keyword_group, weeks, compare, top_n, weighted, rank, competitor
-- Order: 10
WITH sites AS MATERIALIZED (
  SELECT * FROM search_reports.compared_sites('first_places', :choices, :weeks::text, 10, :competitor::text[])
)
SELECT x.site, x.kind, round(x.level, 2) AS share, round(x.level_before, 2) AS share_before, round(x.like_for_like, 2) AS change, x.reading,
       round(x.added, 2) AS added, round(x.dropped, 2) AS dropped, round(100 * x.matched, 1) AS same, x.kept AS searches,
       coalesce(p.reason, p.refusal) AS reason, p.notice
  FROM search_reports.measure_pair('first_places', :account::bigint, :weeks::text, :compare::text) AS p
  LEFT JOIN LATERAL (SELECT * FROM sites LEFT JOIN search_reports.site_changes(
            'first_places', :choices, ARRAY(SELECT site FROM sites), p.week, p.before) USING (site)) AS x ON true
 ORDER BY x.level DESC NULLS LAST, x.site
