-- The live executions of a job whose windows touch a span of days. Held ones are left out: they are discarded instead.
-- Params: :job, :from and :to, the first and last day, each null for no bound. Result: id, state. Locks: none.
SELECT e.id, e.state
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE s.job = :job AND e.ended_at IS NULL AND e.state <> 'held'
   AND (:from::date IS NULL OR s.window_end >= :from) AND (:to::date IS NULL OR s.window_start <= :to)
 ORDER BY e.id
