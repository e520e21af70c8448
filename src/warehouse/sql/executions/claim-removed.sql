-- Takes the live executions of removed jobs away from their processes, to end them. One whose submit is under way keeps its lease: the
-- process that makes it writes down what the service answers.
-- Result: id, leaseToken. Locks: their rows. A row that is being published is skipped and found published the next time.
UPDATE searchmill.executions e SET lease_token = e.lease_token + (e.state <> 'submitting')::integer
 WHERE e.id IN (SELECT x.id FROM searchmill.executions x
                  JOIN searchmill.slices s ON s.id = x.slice_id JOIN searchmill.jobs j ON j.name = s.job
                 WHERE x.ended_at IS NULL AND j.removed_at IS NOT NULL
                   FOR UPDATE OF x SKIP LOCKED)
RETURNING e.id, e.lease_token AS "leaseToken"
