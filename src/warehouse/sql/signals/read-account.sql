-- What messages about an account need. Params: :accountId. Result: name (NULL where no row tells it), endedAt (when a load of it last ended, NULL
-- when none has), week (the newest that rules have looked at, else the newest that is published, else NULL). Locks: none.
SELECT search_reports.account_name(:accountId::bigint) AS name,
       (SELECT max(e.ended_at) FROM searchmill.slices s JOIN searchmill.executions e ON e.slice_id = s.id WHERE s.account_id = :accountId::bigint) AS "endedAt",
       coalesce((SELECT max(week) FROM searchmill.signal_looks WHERE account_id = :accountId::bigint),
                (SELECT max(week) FROM search_reports.weeks WHERE account_id = :accountId::bigint AND state = 'published'))::text AS week
