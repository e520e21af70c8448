-- Ends a pause. Executions in progress get as much more time as the pause lasted (max_wait), because they were not polled.
-- Params: :kind (job | connection), :name. Result: pausedAt; none when it was not paused. Repeating changes nothing.
WITH resumed AS (
  DELETE FROM searchmill.pauses WHERE kind = :kind AND name = :name RETURNING paused_at
), waited AS (
  UPDATE searchmill.executions e SET max_wait = e.max_wait + (clock_timestamp() - r.paused_at)
    FROM resumed r, searchmill.slices s
   WHERE s.id = e.slice_id AND e.ended_at IS NULL AND e.state = 'in_progress'
     AND CASE WHEN :kind = 'job' THEN s.job ELSE e.connection END = :name
)
SELECT paused_at AS "pausedAt" FROM resumed
