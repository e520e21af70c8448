-- Rows the job has in the table in a window. Params: $1 job, $2 account, $3 first and $4 last day.
SELECT count(*) AS rows
  FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
 WHERE t.account_id = $2 AND t.time_period_start BETWEEN $3 AND $4 AND o.job = $1
