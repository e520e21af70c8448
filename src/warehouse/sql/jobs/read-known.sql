-- Jobs that have slices, with their last recorded question: a configuration may have renamed them.
-- Params: :instanceId of the process that asks.
-- Result: name, dataset, accountId, filters, filtersDigest, removedAt, isElsewhere (another running process is configured with the name). Locks: none.
-- Not null: isElsewhere.
SELECT j.name, j.dataset, j.account_id AS "accountId", j.filters, j.filters_digest AS "filtersDigest", j.removed_at AS "removedAt",
       EXISTS (SELECT FROM searchmill.instances i
                WHERE j.name = ANY (i.jobs) AND i.id <> :instanceId AND i.seen_at > clock_timestamp() - interval '60 seconds') AS "isElsewhere"
  FROM searchmill.jobs j
 WHERE EXISTS (SELECT FROM searchmill.slices s WHERE s.job = j.name)
 ORDER BY j.name
