-- At least as many rows as the job has in the table in each week of a window, by what its slices published: those of the window,
-- and those that were approved and may have rows anywhere; also of those that lost some to another job. Where the weeks of a slice begin on other days than those of the window,
-- all its rows are counted for each week.
-- Params: :job, :windowStart, :windowEnd. Result: rows, of one week after another.
-- Not null: rows.
SELECT coalesce(sum(CASE WHEN a.id IS NULL AND (w.week::date - s.window_start) % 7 = 0
                         THEN coalesce(s.published_week_rows[(w.week::date - s.window_start) / 7 + 1], s.published_rows)
                         ELSE s.published_rows END), 0)::bigint AS rows
  FROM generate_series(:windowStart::timestamp, :windowEnd::timestamp, interval '7 days') AS w (week)
  LEFT JOIN (searchmill.slices s
             LEFT JOIN searchmill.executions a ON a.id = s.published_execution_id AND a.approved_at IS NOT NULL)
    ON s.job = :job AND s.published_rows IS NOT NULL
   AND (a.id IS NOT NULL OR (s.window_start <= w.week::date + 6 AND s.window_end >= w.week::date))
 GROUP BY w.week
 ORDER BY w.week
