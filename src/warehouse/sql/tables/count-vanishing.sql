-- The values of a column that would have fewer rows, in some weeks of a window, if the staged rows replaced those of the job.
-- It reads all rows of the window, so only run it for an answer that is held.
-- Params: :job, :accountId, :windowStart, :windowEnd, :weeks (from 0 for the first), :maxValues.
-- Result: value, its rows before and after, the greatest loss first; and values, how many values would have fewer rows.
SELECT value, sum(before)::bigint AS before, sum(after)::bigint AS after, count(*) OVER () AS values
  FROM (SELECT t.{column} AS value, count(*) AS before, 0 AS after
          FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
         WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd AND o.job = :job
           AND (t.time_period_start - :windowStart::date) / 7 = ANY (:weeks::integer[])
         GROUP BY 1
        UNION ALL
        SELECT {column}, 0, count(*)
          FROM {staging}
         WHERE time_period_start BETWEEN :windowStart AND :windowEnd AND (time_period_start - :windowStart::date) / 7 = ANY (:weeks::integer[])
         GROUP BY 1) counts
 GROUP BY value
HAVING sum(after) < sum(before)
 ORDER BY sum(before) - sum(after) DESC, value
 LIMIT :maxValues
