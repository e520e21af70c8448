-- Whether a table has rows of some accounts in a span of days. Params: :accounts, :from, :to.
-- Not null: found.
SELECT EXISTS (SELECT 1 FROM {table} WHERE account_id = ANY (:accounts) AND time_period_start BETWEEN :from AND :to) AS found
