-- Whether a table has anything of some accounts in a span of days. Params: $1 accounts, $2 first and $3 last day.
SELECT EXISTS (SELECT FROM {table} WHERE account_id = ANY ($1) AND time_period_start BETWEEN $2 AND $3) AS found
