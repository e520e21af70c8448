-- The newest messages. Params: :limit. Result: id as text, target, type, body, createdAt, attempts, attemptedAt, answer, state. Locks: none.
-- Not null: id, state.
SELECT id::text, target, type, body, created_at AS "createdAt", attempts, attempted_at AS "attemptedAt", answer,
       CASE WHEN delivered_at IS NOT NULL THEN 'delivered' WHEN given_up_at IS NOT NULL THEN 'given up' ELSE 'waiting' END AS state
  FROM searchmill.notifications n
 ORDER BY n.id DESC LIMIT :limit
