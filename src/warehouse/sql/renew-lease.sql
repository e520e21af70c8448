-- Keeps the lease. Params: $1 execution, $2 token, $3 lease in ms. No row: it was lost.
UPDATE searchmill.executions SET lease_until = clock_timestamp() + make_interval(secs => $3::float8 / 1000)
 WHERE id = $1 AND lease_token = $2 AND ended_at IS NULL
