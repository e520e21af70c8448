-- The rows that would be deleted, by week and by the values of some columns.
-- Placeholders: columns, a list of their values as text. Params: :accountId, :windowStart, :windowEnd.
-- Result: week (from 0 for the first), values, rows. Locks: none.
-- Not null: week, values, rows.
SELECT (t.time_period_start - :windowStart::date) / 7 AS week, ARRAY[{columns}] AS values, count(*) AS rows
  FROM searchmill_changes c
  JOIN {table} t ON t.account_id = c.account_id AND t.time_period_start = c.time_period_start
                AND t._key = c._key AND t._occurrence = c._occurrence
 WHERE c.change = 'delete' AND t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd
 GROUP BY 1, 2
