-- The own domains of an account. Params: :accountId, :source. Result: domains in order, and patterns, which own results match.
-- Not null: domains, patterns.
SELECT ARRAY(SELECT domain FROM searchmill.own_domains WHERE account_id = :accountId AND source = :source ORDER BY domain COLLATE "C") AS domains,
       search_reports.own_patterns(:accountId) AS patterns
