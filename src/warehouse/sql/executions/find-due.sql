-- Live executions that are due and free: the queue rings for them. Paused ones are left out, unless they are staged.
-- Each connection has one of those that wait for their submit, so that these never displace running ones.
-- Running ones take turns by connection, then by job, the most urgent first. So the loads of a service that
-- hangs never displace those of another.
-- Params: :maxRows. Result: id, steps, leaseToken, state, connection, job, priority. Locks: none.
-- Not null: priority.
WITH due AS (
  SELECT e.id, e.steps, e.lease_token, e.state, e.connection, s.job, searchmill.urgency(e.priority, e.expires_at) AS priority, e.due_at,
         row_number() OVER (PARTITION BY e.state = 'planned', e.connection, s.job
                                ORDER BY searchmill.urgency(e.priority, e.expires_at), e.due_at, e.id) AS turn
    FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE e.ended_at IS NULL AND searchmill.has_passed(e.due_at)
     AND searchmill.is_free(e.lease_until, e.state)
     AND (e.state = 'staged'
          OR NOT EXISTS (SELECT FROM searchmill.pauses p
                          WHERE (p.kind = 'connection' AND p.name = e.connection) OR (p.kind = 'job' AND p.name = s.job)))
), fair AS (
  SELECT *, row_number() OVER (PARTITION BY state = 'planned', connection ORDER BY turn, priority, due_at, id) AS connection_turn FROM due
)
SELECT id, steps, lease_token AS "leaseToken", state, connection, job, priority FROM fair
 WHERE state <> 'planned' OR connection_turn = 1
 ORDER BY state = 'planned' DESC, connection_turn, priority, due_at, id
 LIMIT :maxRows
