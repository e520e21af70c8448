-- All columns of the rows of one account and week of a table, in the order of its key.
-- Params: :accountId, :week (its first day). Locks: none.
SELECT * FROM {table}
 WHERE account_id = :accountId AND time_period_start >= :week::date AND time_period_start < :week::date + 7
 ORDER BY time_period_start, _key, _occurrence
