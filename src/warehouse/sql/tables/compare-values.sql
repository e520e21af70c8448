-- Rows of each value of a column, in the table and in the answer that would replace them. It reads all rows of the window, so only
-- run it for an answer that is held.
-- Params: :job, :accountId, :windowStart, :windowEnd, :maxValues.
-- Result: value, its rows before and after, the greatest change first; and values, how many values there are. Locks: none.
SELECT value, sum(before)::bigint AS before, sum(after)::bigint AS after, count(*) OVER () AS values
  FROM (SELECT t.{column}::text AS value, count(*) AS before, 0 AS after
          FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
         WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd AND o.job = :job
         GROUP BY 1
        UNION ALL
        SELECT {column}::text, 0, count(*) FROM {staging} GROUP BY 1) counts
 GROUP BY value
 ORDER BY abs(sum(after) - sum(before)) DESC, greatest(sum(before), sum(after)) DESC, value
 LIMIT :maxValues
