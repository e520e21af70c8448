-- Jobs, of those given, that may lack an expected week: all others have each week published in a slice of its own, and the
-- recent ones since the tick, or live. Planning looks closer at what is found. One index scan a job, however many the years.
-- Params: :wanted, a JSON array with, for every job, its name, the first expected week, the first week of the lookback (recent), the newest
--         expected week and the tick of the schedule.
-- Result: name. Locks: none.
-- Not null: name.
SELECT w.name
  FROM jsonb_to_recordset(:wanted::jsonb) AS w (name text, first date, recent date, newest date, tick timestamptz)
 WHERE (SELECT count(*) FROM searchmill.slices s
         WHERE s.job = w.name AND s.window_start >= w.first AND s.window_start < w.recent AND s.window_end = s.window_start + 6
           AND (s.window_start - w.first) % 7 = 0 AND s.published_execution_id IS NOT NULL) < (w.recent - w.first) / 7
    OR (SELECT count(*) FROM searchmill.slices s LEFT JOIN searchmill.executions p ON p.id = s.published_execution_id
         WHERE s.job = w.name AND s.window_start BETWEEN w.recent AND w.newest AND s.window_end = s.window_start + 6
           AND (s.window_start - w.first) % 7 = 0
           AND (p.planned_at >= w.tick
                OR EXISTS (SELECT FROM searchmill.executions e WHERE e.slice_id = s.id AND e.ended_at IS NULL)))
       < (w.newest - w.recent) / 7 + 1
