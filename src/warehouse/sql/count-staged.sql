-- Staged rows in each week of a window that has some. Params: $1 first and $2 last day.
-- Result: week, from 0 for the first, and rows.
SELECT (time_period_start - $1::date) / 7 AS week, count(*) AS rows
  FROM {staging}
 WHERE time_period_start BETWEEN $1 AND $2
 GROUP BY 1
