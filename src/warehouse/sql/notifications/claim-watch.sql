-- Lets one process at a time watch for problems, each time some while after the last. Params: :everyMs. Result: one row when it may.
-- Locks: the row, until the transaction ends; others skip it.
UPDATE searchmill.notification_looks SET looked_at = clock_timestamp()
 WHERE id = (SELECT id FROM searchmill.notification_looks
              WHERE looked_at <= clock_timestamp() - :everyMs * interval '1 millisecond' FOR UPDATE SKIP LOCKED)
RETURNING looked_at AS "lookedAt"
