-- The values of a column that would have fewer rows, in some weeks of a window, if the staged rows replaced those of the job.
-- Params: $1 job, $2 account, $3 first and $4 last day of the window, $5 weeks, from 0 for the first, $6 most values.
-- Result: value, its rows before and after, the greatest loss first; and values, how many values would have fewer rows.
-- Reads all rows of the window, so only run it for an answer that is held.
SELECT value, sum(before)::bigint AS before, sum(after)::bigint AS after, count(*) OVER () AS values
  FROM (SELECT t.{column} AS value, count(*) AS before, 0 AS after
          FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
         WHERE t.account_id = $2 AND t.time_period_start BETWEEN $3 AND $4 AND o.job = $1
           AND (t.time_period_start - $3::date) / 7 = ANY ($5::integer[])
         GROUP BY 1
        UNION ALL
        SELECT {column}, 0, count(*)
          FROM {staging}
         WHERE time_period_start BETWEEN $3 AND $4 AND (time_period_start - $3::date) / 7 = ANY ($5::integer[])
         GROUP BY 1) counts
 GROUP BY value
HAVING sum(after) < sum(before)
 ORDER BY sum(before) - sum(after) DESC, value
 LIMIT $6
