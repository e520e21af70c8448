-- Schedules the next step and gives the lease back. An answered poll (:pollCalls without :errorCode) is progress.
-- Params: :executionId, :leaseToken, :delayMs until the step, :waitingFor or null, :errorCode or null, :errorMessage or null,
--         :isCounted (the error counts towards the growing wait), :pollCalls sent.
-- Result: steps, priority. No row: the lease was lost, or the execution is held and the answer that said so was lost: then it has
-- no next step.
-- Not null: priority.
UPDATE searchmill.executions
   SET progress_at = CASE WHEN :errorCode::text IS NULL AND :pollCalls > 0 THEN clock_timestamp() ELSE progress_at END,
       due_at = clock_timestamp() + make_interval(secs => :delayMs::float8 / 1000), steps = steps + 1,
       lease_owner = NULL, lease_until = NULL, waiting_for = :waitingFor,
       last_error_code = coalesce(:errorCode, last_error_code), last_error = coalesce(:errorMessage, last_error),
       last_error_at = CASE WHEN :errorCode::text IS NULL THEN last_error_at ELSE clock_timestamp() END,
       errors_in_row = CASE WHEN :isCounted THEN errors_in_row + 1 WHEN :errorCode::text IS NULL THEN 0 ELSE errors_in_row END,
       retrying_since = CASE WHEN :errorCode::text IS NOT NULL THEN coalesce(retrying_since, clock_timestamp()) WHEN :pollCalls > 0 THEN NULL ELSE retrying_since END,
       deaths_in_row = CASE WHEN :errorCode::text IS NULL AND :pollCalls > 0 THEN 0 ELSE deaths_in_row END, at_work_since = NULL,
       poll_calls = poll_calls + :pollCalls
 WHERE id = :executionId AND lease_token = :leaseToken AND ended_at IS NULL AND state <> 'held'
RETURNING steps, searchmill.urgency(priority, expires_at) AS priority
