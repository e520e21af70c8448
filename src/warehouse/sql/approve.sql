-- Publishes held executions in spite of the audit: that of a slice, or all of a job.
-- Params: $1 slice, or null; $2 job, or null. Result: sliceId, job, windowStart, windowEnd of each.
-- Repeating changes nothing. Locks: their rows, in the order of their numbers, for the statement.
UPDATE searchmill.executions e
   SET state = 'staged', state_since = clock_timestamp(), approved_at = clock_timestamp(), due_at = clock_timestamp(), looks = looks + 1
  FROM searchmill.slices s
 WHERE s.id = e.slice_id
   AND e.id IN (SELECT h.id FROM searchmill.executions h JOIN searchmill.slices hs ON hs.id = h.slice_id
                 WHERE h.state = 'held' AND (hs.id = $1 OR hs.job = $2) ORDER BY h.id FOR UPDATE OF h)
RETURNING s.id AS "sliceId", s.job, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd"
