-- The submit bodies of published weeks of a job, the newest week first.
-- Params: :job, :weeks (their first days). Result: request, for each of them that is published.
SELECT request
  FROM (SELECT DISTINCT ON (w.week) w.week, e.request
          FROM unnest(:weeks::date[]) AS w (week)
          JOIN searchmill.slices s ON s.job = :job AND w.week BETWEEN s.window_start AND s.window_end
          JOIN searchmill.executions e ON e.id = s.published_execution_id
         ORDER BY w.week, s.published_at DESC) newest
 ORDER BY week DESC
