-- Values of columns that say what was asked, all of whose rows of a week would be deleted.
-- Placeholders: asked_of_table, asked_of_staging: (name, value, rows from which on it counts) of each such column. Params: :accountId, :windowStart, :windowEnd.
-- Result: column, week (from 0 for the first), value, rows; most rows first. Locks: none.
-- Not null: column, week, value, rows.
SELECT lost."column", lost.week, lost.value, lost.rows
  FROM (SELECT a."column", (t.time_period_start - :windowStart::date) / 7 AS week, a.value, count(*) AS rows
          FROM searchmill_changes c
          JOIN {table} t ON t.account_id = c.account_id AND t.time_period_start = c.time_period_start
                        AND t._key = c._key AND t._occurrence = c._occurrence
         CROSS JOIN LATERAL (VALUES {asked_of_table}) AS a ("column", value, least)
         WHERE c.change = 'delete' AND a.value <> ''
           AND t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd
         GROUP BY 1, 2, 3
        HAVING count(*) >= max(a.least)) lost
 WHERE NOT EXISTS (SELECT FROM {staging} s CROSS JOIN LATERAL (VALUES {asked_of_staging}) AS a ("column", value, least)
                    WHERE a."column" = lost."column" AND a.value = lost.value
                      AND (s.time_period_start - :windowStart::date) / 7 = lost.week)
 ORDER BY lost.rows DESC, lost."column", lost.value, lost.week
