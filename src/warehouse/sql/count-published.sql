-- Rows the job has in the table in each week of a window that has some. Params: $1 job, $2 account, $3 first and $4 last day.
-- Result: week, from 0 for the first, and rows.
SELECT (t.time_period_start - $3::date) / 7 AS week, count(*) AS rows
  FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
 WHERE t.account_id = $2 AND t.time_period_start BETWEEN $3 AND $4 AND o.job = $1
 GROUP BY 1
