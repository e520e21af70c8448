-- Writes down that somebody did something to executions. Params: :action, :actor, :reason or null, :executionIds. Locks: none.
INSERT INTO searchmill.actions (actor, action, reason, job, slice_id, execution_id, window_start, window_end)
SELECT :actor, :action, :reason, s.job, s.id, e.id, s.window_start, s.window_end
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = ANY (:executionIds::bigint[])
 ORDER BY e.id
