-- Takes the lease on held executions, to discard them: that of a slice, all of a job, or one.
-- Params: :sliceId, :job or :executionId; the others are null.
-- Result: id, leaseToken, sliceId, job, windowStart, windowEnd of each.
-- Locks: their rows, in the order of their numbers, until the transaction ends. Repeating takes them again.
-- Not null: windowStart, windowEnd.
UPDATE searchmill.executions e SET lease_token = e.lease_token + 1
  FROM searchmill.slices s
 WHERE s.id = e.slice_id
   AND e.id IN (SELECT h.id FROM searchmill.executions h JOIN searchmill.slices hs ON hs.id = h.slice_id
                 WHERE h.state = 'held' AND (hs.id = :sliceId OR hs.job = :job OR h.id = :executionId) ORDER BY h.id FOR UPDATE OF h)
RETURNING e.id, e.lease_token AS "leaseToken",
          s.id AS "sliceId", s.job, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd"
