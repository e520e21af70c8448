-- Keeps the lease. Params: $1 execution, $2 token, $3 lease in ms. No row: it was lost.
-- Result: isPaused, whether its job or connection is paused.
-- A lease that was given back stays so. Never waits: while a publish holds the row nobody can take it, and the lease needs no renewal.
WITH renewed AS (
  UPDATE searchmill.executions SET lease_until = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
   WHERE id = (SELECT id FROM searchmill.executions WHERE id = $1 AND lease_token = $2 AND lease_until IS NOT NULL FOR UPDATE SKIP LOCKED)
)
SELECT EXISTS (SELECT FROM searchmill.pauses p
                WHERE (p.kind = 'connection' AND p.name = e.connection) OR (p.kind = 'job' AND p.name = s.job)) AS "isPaused"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = $1 AND e.lease_token = $2
