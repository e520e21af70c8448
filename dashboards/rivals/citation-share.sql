-- Title: Citation shares
-- Question: How much of what assistants cite is ours and how much is others', and who gains?
-- Chart: table
-- Links: site
-- Changes: change
-- Note: Our sites, the competitors, and the ten largest sites. The change is like for like: of the prompts that both weeks have.
-- Empty: No site is cited.
-- Computed: Citations of a site, of all citations in answers to prompts of which all were asked for. added and dropped are what prompts add
--   that only one of the weeks has: with the change they make up the difference of the two shares. reading says whether the change is
--   more than chance, by prompt; it is empty where fewer than six changed.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks, compare, competitor
-- Order: 20
WITH sites AS MATERIALIZED (
  SELECT * FROM search_reports.compared_sites('citations', :choices, :weeks::text, 10, :competitor::text[])
)
SELECT x.site, x.kind, round(x.level, 2) AS share, round(x.level_before, 2) AS share_before, round(x.like_for_like, 2) AS change, x.reading,
       round(x.added, 2) AS added, round(x.dropped, 2) AS dropped, round(100 * x.matched, 1) AS same, x.kept AS prompts,
       coalesce(p.reason, p.refusal) AS reason, p.notice
  FROM search_reports.measure_pair('citations', :account::bigint, :weeks::text, :compare::text) AS p
  LEFT JOIN LATERAL (SELECT * FROM sites LEFT JOIN search_reports.site_changes(
            'citations', :choices, ARRAY(SELECT site FROM sites), p.week, p.before) USING (site)) AS x ON true
 ORDER BY x.level DESC NULLS LAST, x.site
