-- The live executions of a job whose windows touch a span; not held ones, which are discarded instead.
-- Params: $1 job, $2 first and $3 last day, each null for no bound. Result: id, state. Locks: none.
SELECT e.id, e.state
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE s.job = $1 AND e.ended_at IS NULL AND e.state <> 'held'
   AND ($2::date IS NULL OR s.window_end >= $2) AND ($3::date IS NULL OR s.window_start <= $3)
 ORDER BY e.id
