-- The domains of citations attributed to You over all weeks of an account: stored ones, and of marked weeks what the table holds now.
-- Params: :accountId. Result: domains in order.
-- Not null: domains.
WITH marked AS MATERIALIZED (
  SELECT DISTINCT week FROM searchmill.stale_weeks WHERE subject = 'citations' AND account_id = :accountId
), sites AS (
  SELECT site FROM search_stored.ai_cited_pages
   WHERE account_id = :accountId AND attribution = 'you' AND week NOT IN (SELECT week FROM marked)
  UNION
  SELECT c.site
    FROM marked m
   CROSS JOIN LATERAL (SELECT left(citation_domain, 253) AS site FROM search.ai_search_citations
                        WHERE account_id = :accountId AND time_period_start BETWEEN m.week AND m.week + 6
                          AND lower(citation_attribution) = 'you') AS c
)
SELECT ARRAY(SELECT DISTINCT domain FROM (SELECT search_reports.bare_domain(site) COLLATE "C" AS domain FROM sites) AS bare
              WHERE domain <> ''
              ORDER BY domain) AS domains
