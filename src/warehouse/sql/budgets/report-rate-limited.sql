-- A 429 came: pauses the budget. Calls that were already under way when the pause began do not lengthen it twice.
-- Params: :budget, :retryAfterMs that the service asked for or null, :firstPauseMs, :maxPauseMs, :jitter (0 to 1).
-- Repeating while paused only keeps the later end.
UPDATE searchmill.budgets
   SET rate_limited_in_row = rate_limited_in_row + CASE WHEN paused_until > clock_timestamp() THEN 0 ELSE 1 END,
       rate_limited_at = clock_timestamp(),
       paused_until = CASE
         WHEN :retryAfterMs::float8 IS NULL AND paused_until > clock_timestamp() THEN paused_until
         ELSE greatest(paused_until, clock_timestamp() + make_interval(secs =>
                coalesce(:retryAfterMs::float8, least(:maxPauseMs::float8, :firstPauseMs::float8 * power(2, least(rate_limited_in_row, 20))) * (0.75 + 0.5 * :jitter::float8)) / 1000))
         END
 WHERE id = :budget
