-- Accounts with configured own domains, competitors or aliases all of whose jobs are removed, and that no running process has a job of. One without jobs
-- is about to get them. Result: account as text. Locks: none.
-- Not null: accountId.
SELECT o.account_id::text AS "accountId"
  FROM (SELECT account_id FROM searchmill.own_domains WHERE source = 'configured'
        UNION
        SELECT account_id FROM searchmill.competitors
        UNION
        SELECT account_id FROM searchmill.aliases) AS o
 WHERE (SELECT bool_and(j.removed_at IS NOT NULL) FROM searchmill.jobs j WHERE j.account_id = o.account_id)
   AND NOT EXISTS (SELECT FROM searchmill.jobs j JOIN searchmill.instances i ON j.name = ANY (i.jobs)
                    WHERE j.account_id = o.account_id AND i.seen_at > clock_timestamp() - interval '60 seconds')
