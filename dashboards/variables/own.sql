-- The account's own sites: those that its jobs are configured with, else those of citations attributed to You.
SELECT domain AS value, domain AS label
  FROM search_reports.own_domains o
 WHERE account_id = :account::bigint
   AND (source = 'configured'
        OR NOT EXISTS (SELECT FROM search_reports.own_domains c WHERE c.account_id = o.account_id AND c.source = 'configured'))
 ORDER BY domain
