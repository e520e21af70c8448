-- Rows of each value of a column, in the table and in the answer that would replace them. It reads all rows of the window, so only
-- run it for an answer that is held.
-- Params: :job, :accountId, :windowStart, :windowEnd, :maxValues; :shrunkWeeks (from 0 for the first) leaves only the rows of these
--         weeks, and the values that would have fewer of them; null: all.
-- Result: value, its rows before and after, the greatest change first; and values, how many such values there are. Locks: none.
-- Not null: before, after, values.
SELECT value, sum(before)::bigint AS before, sum(after)::bigint AS after, count(*) OVER () AS values
  FROM (SELECT t.{column}::text AS value, count(*) AS before, 0 AS after
          FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
         WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd AND o.job = :job
           AND (:shrunkWeeks::integer[] IS NULL OR (t.time_period_start - :windowStart::date) / 7 = ANY (:shrunkWeeks))
         GROUP BY 1
        UNION ALL
        SELECT {column}::text, 0, count(*)
          FROM {staging}
         WHERE :shrunkWeeks::integer[] IS NULL
            OR (time_period_start BETWEEN :windowStart AND :windowEnd
                AND (time_period_start - :windowStart::date) / 7 = ANY (:shrunkWeeks))
         GROUP BY 1) counts
 GROUP BY value
HAVING :shrunkWeeks::integer[] IS NULL OR sum(after) < sum(before)
 ORDER BY abs(sum(after) - sum(before)) DESC, greatest(sum(before), sum(after)) DESC, value
 LIMIT :maxValues
