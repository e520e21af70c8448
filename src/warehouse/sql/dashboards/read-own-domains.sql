-- The sites that count as our own in figures of an account, and whether they are configured or were found in citations.
-- Params: :accountId. Locks: none.
-- Not null: domain, source.
SELECT domain, source
  FROM search_reports.own_domains o
 WHERE account_id = :accountId::bigint
   AND (source = 'configured'
        OR NOT EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = o.account_id AND c.source = 'configured'))
 ORDER BY domain COLLATE "C"
