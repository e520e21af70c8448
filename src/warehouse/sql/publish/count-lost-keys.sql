-- How many keys a job has in the table in each week of a window, and how many of them the answer does not have.
-- Params: :job, :accountId, :windowStart, :windowEnd. Result: week (from 0 for the first), keys, lost. Locks: none.
-- Not null: week, keys, lost.
SELECT own.week, own.keys, coalesce(gone.keys, 0) AS lost
  FROM (SELECT (t.time_period_start - :windowStart::date) / 7 AS week, count(*) AS keys
          FROM {table} t
         WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd AND t._occurrence = 1
           AND t._slice IN (SELECT id FROM searchmill.slices WHERE job = :job)
         GROUP BY 1) own
  LEFT JOIN (SELECT (time_period_start - :windowStart::date) / 7 AS week, count(*) AS keys
               FROM searchmill_changes
              WHERE change = 'delete' AND account_id = :accountId AND time_period_start BETWEEN :windowStart AND :windowEnd
                AND _occurrence = 1
              GROUP BY 1) gone ON gone.week = own.week
