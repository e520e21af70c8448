-- Staged rows in each week of a window that has some. Params: :windowStart, :windowEnd.
-- Result: week, from 0 for the first, and rows.
-- Not null: week, rows.
SELECT (time_period_start - :windowStart::date) / 7 AS week, count(*) AS rows
  FROM {staging}
 WHERE time_period_start BETWEEN :windowStart AND :windowEnd
 GROUP BY 1
