-- Schedules the next step and gives the lease back. An answered poll, so $8 without $5, is progress.
-- Params: $1 execution, $2 token, $3 ms until the step, $4 what it waits for or null, $5 error code or null, $6 error text or
--         null, $7 true when the error counts towards the growing wait, $8 poll calls sent.
-- Result: steps, priority. No row: the lease was lost.
UPDATE searchmill.executions
   SET progress_at = CASE WHEN $5::text IS NULL AND $8 > 0 THEN clock_timestamp() ELSE progress_at END,
       due_at = clock_timestamp() + make_interval(secs => $3::float8 / 1000), looks = looks + 1,
       lease_owner = NULL, lease_until = NULL, waiting_for = $4,
       last_error_code = coalesce($5, last_error_code), last_error = coalesce($6, last_error),
       last_error_at = CASE WHEN $5::text IS NULL THEN last_error_at ELSE clock_timestamp() END,
       errors_in_row = CASE WHEN $7 THEN errors_in_row + 1 WHEN $5::text IS NULL THEN 0 ELSE errors_in_row END,
       retrying_since = CASE WHEN $5::text IS NOT NULL THEN coalesce(retrying_since, clock_timestamp()) WHEN $8 > 0 THEN NULL ELSE retrying_since END,
       deaths_in_row = CASE WHEN $5::text IS NULL AND $8 > 0 THEN 0 ELSE deaths_in_row END, at_work_since = NULL,
       poll_calls = poll_calls + $8
 WHERE id = $1 AND lease_token = $2 AND ended_at IS NULL
RETURNING looks AS steps, searchmill.urgency(priority, expires_at) AS priority
