-- What a bell should be rung for: live executions that are due and that nobody holds; most urgent first. Of those that wait to
-- be submitted one for each connection, however many there are, so that they never crowd out what is running. What is paused is
-- left out, unless it is staged.
-- Params: $1 most rows.
-- Result: id, looks, lease token, state, connection, priority. Locks: none.
WITH due AS (
  SELECT id, looks, lease_token, state, connection, searchmill.urgency(priority, expires_at) AS priority, due_at
    FROM searchmill.executions
   WHERE ended_at IS NULL AND searchmill.has_passed(due_at)
     AND searchmill.is_free(lease_until, state)
     AND (state = 'staged'
          OR NOT EXISTS (SELECT FROM searchmill.pauses p WHERE p.kind = 'connection' AND p.name = connection)
             AND slice_id NOT IN (SELECT ps.id FROM searchmill.pauses p JOIN searchmill.slices ps ON ps.job = p.name WHERE p.kind = 'job'))
), first AS (
  SELECT DISTINCT ON (CASE WHEN state = 'planned' THEN connection ELSE id::text END) *
    FROM due ORDER BY CASE WHEN state = 'planned' THEN connection ELSE id::text END, priority, due_at
)
SELECT id, looks, lease_token AS "leaseToken", state, connection, priority FROM first
 ORDER BY state = 'planned' DESC, priority, due_at
 LIMIT $1
