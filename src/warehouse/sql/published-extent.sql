-- Where the rows of a slice lie that was published in spite of the audit. Params: $1 slice.
-- Result: accounts as text, first and last day; null without rows. Reads the whole table, so only run it for such a slice.
SELECT NULL AS months, array_agg(DISTINCT account_id::text) AS accounts, min(time_period_start) AS first, max(time_period_start) AS last
  FROM {table}
 WHERE _slice = $1
