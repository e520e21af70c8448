-- Keeps the lease. Params: $1 execution, $2 token, $3 lease in ms. No row: it was lost.
-- A lease that was given back stays so. Never waits: while a publish holds the row nobody can take it, and the lease needs no renewal.
WITH renewed AS (
  UPDATE searchmill.executions SET lease_until = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
   WHERE id = (SELECT id FROM searchmill.executions WHERE id = $1 AND lease_token = $2 AND lease_until IS NOT NULL FOR UPDATE SKIP LOCKED)
)
SELECT id FROM searchmill.executions WHERE id = $1 AND lease_token = $2
