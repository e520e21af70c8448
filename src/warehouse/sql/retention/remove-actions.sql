-- Removes what people did long ago, but for decisions on loads that are still there, such as the approval of what is published, and for
-- pauses that last. Params: :ageMs, :maxRows. Result: actions, their number.
-- Locks: the rows it removes. Repeating finds what is left.
-- Not null: actions.
WITH removed AS (
  DELETE FROM searchmill.actions
   WHERE id IN (SELECT a.id FROM searchmill.actions a
                 WHERE a.acted_at < clock_timestamp() - :ageMs * interval '1 millisecond'
                   AND NOT EXISTS (SELECT FROM searchmill.executions e WHERE e.id = a.execution_id)
                   AND (a.action <> 'pause' OR NOT EXISTS (
                          SELECT FROM searchmill.pauses p WHERE (p.kind, p.name) IN (('job', a.job), ('connection', a.connection))))
                 LIMIT :maxRows)
  RETURNING 1
)
SELECT count(*) AS actions FROM removed
