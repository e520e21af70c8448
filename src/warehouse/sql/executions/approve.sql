-- Publishes held executions in spite of the audit: that of a slice, all of a job, or one.
-- One that is held only since its processes died, or since the table did not take its rows, is audited and published as if that had not been.
-- States: held -> staged.
-- Params: :sliceId, :job or :executionId; the others are null.
-- Result: id, sliceId, job, windowStart, windowEnd of each.
-- Locks: their rows, in the order of their numbers, for the statement. Repeating changes nothing.
-- Not null: windowStart, windowEnd.
UPDATE searchmill.executions e
   SET state = 'staged', state_since = clock_timestamp(),
       approved_at = CASE WHEN objections @> '[{"rule": "deaths"}]' OR objections @> '[{"rule": "written"}]' THEN approved_at ELSE clock_timestamp() END,
       deaths_in_row = 0, due_at = clock_timestamp(), steps = steps + 1
  FROM searchmill.slices s
 WHERE s.id = e.slice_id
   AND e.id IN (SELECT h.id FROM searchmill.executions h JOIN searchmill.slices hs ON hs.id = h.slice_id
                 WHERE h.state = 'held' AND (hs.id = :sliceId OR hs.job = :job OR h.id = :executionId) ORDER BY h.id FOR UPDATE OF h)
RETURNING e.id, s.id AS "sliceId", s.job, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd"
