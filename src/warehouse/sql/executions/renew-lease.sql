-- Keeps the lease for another :leaseMs. One that was given back stays so.
-- It never waits: while a publish holds the row, no process can take it, and the lease needs no renewal.
-- Params: :executionId, :leaseToken, :leaseMs. Result: isPaused (its job or connection is). No row: the lease was lost.
-- Not null: isPaused.
WITH renewed AS (
  UPDATE searchmill.executions SET lease_until = clock_timestamp() + make_interval(secs => :leaseMs::float8 / 1000)
   WHERE id = (SELECT id FROM searchmill.executions WHERE id = :executionId AND lease_token = :leaseToken AND lease_until IS NOT NULL FOR UPDATE SKIP LOCKED)
)
SELECT EXISTS (SELECT FROM searchmill.pauses p
                WHERE (p.kind = 'connection' AND p.name = e.connection) OR (p.kind = 'job' AND p.name = s.job)) AS "isPaused"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = :executionId AND e.lease_token = :leaseToken
