-- People's decisions, with actor and reason.

-- name: actions/insert
-- Writes down that somebody did something to a job, to some of its days, to a connection, or to an annotation of an account.
-- Params: :action, :actor, :reason, :account, :job, :connection, :windowStart, :windowEnd; what is not known is null. Locks: none.
INSERT INTO searchmill.actions (actor, action, reason, account_id, job, connection, window_start, window_end)
VALUES (:actor, :action, :reason, :account, :job, :connection, :windowStart, :windowEnd);

-- name: actions/insert-for-executions
-- Writes down that somebody did something to executions. Params: :action, :actor, :reason or null, :executionIds. Locks: none.
INSERT INTO searchmill.actions (actor, action, reason, job, slice_id, execution_id, window_start, window_end)
SELECT :actor, :action, :reason, s.job, s.id, e.id, s.window_start, s.window_end
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = ANY (:executionIds::bigint[])
 ORDER BY e.id;

-- name: actions/read
-- What people did to a job and to its connection, newest first.
-- Params: :job; :day inside the windows, or null for all; :maxRows. Locks: none.
SELECT a.acted_at AS "actedAt", a.actor, a.action, a.job, a.connection, a.slice_id AS "sliceId", a.execution_id AS "executionId",
       a.window_start::text AS "windowStart", a.window_end::text AS "windowEnd", a.reason
  FROM searchmill.actions a
 WHERE (a.job = :job OR a.connection = (SELECT connection FROM searchmill.jobs WHERE name = :job))
   AND (:day::date IS NULL OR a.window_start IS NULL OR :day::date BETWEEN a.window_start AND a.window_end)
 ORDER BY a.id DESC
 LIMIT :maxRows;
