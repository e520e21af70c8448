-- A 429 came: pauses the budget. Calls that were already under way when the pause began do not lengthen it twice.
-- Params: $1 budget, $2 ms the service asked for or null, $3 first pause in ms, $4 longest pause in ms, $5 jitter 0..1.
-- Repeating while paused only keeps the later end.
UPDATE searchmill.budgets
   SET rate_limited_in_row = rate_limited_in_row + CASE WHEN paused_until > clock_timestamp() THEN 0 ELSE 1 END,
       rate_limited_at = clock_timestamp(),
       paused_until = CASE
         WHEN $2::float8 IS NULL AND paused_until > clock_timestamp() THEN paused_until
         ELSE greatest(paused_until, clock_timestamp() + make_interval(secs =>
                coalesce($2::float8, least($4::float8, $3::float8 * power(2, least(rate_limited_in_row, 20))) * (0.75 + 0.5 * $5::float8)) / 1000))
         END
 WHERE id = $1
