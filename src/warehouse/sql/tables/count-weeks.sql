-- Rows the job has in the table in each week of a window that has some.
-- Params: :job, :accountId, :windowStart, :windowEnd. Result: week, from 0 for the first, and rows.
-- Not null: week, rows.
SELECT (t.time_period_start - :windowStart::date) / 7 AS week, count(*) AS rows
  FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
 WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd AND o.job = :job
 GROUP BY 1
