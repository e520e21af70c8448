-- The domains of citations attributed to You: those of the stored weeks but one, and of that one as it is now.
-- Params: :accountId, :week. Result: domains in order.
SELECT ARRAY(SELECT DISTINCT search_reports.bare_domain(site) COLLATE "C"
               FROM (SELECT site FROM search_reports.ai_citation_sites_stored
                      WHERE account_id = :accountId AND week <> :week AND attribution = 'you'
                     UNION ALL
                     SELECT left(citation_domain, 253) FROM search.ai_search_citations
                      WHERE account_id = :accountId AND time_period_start BETWEEN :week::date AND :week::date + 6
                        AND lower(citation_attribution) = 'you') AS cited
              WHERE site <> ''
              ORDER BY 1) AS domains
