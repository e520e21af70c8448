-- Slices of a job that has rows in its table although it is no longer configured, oldest first.
-- Params: :job. Result: id, windowStart, windowEnd, rows. No row: the job is configured, or has none. Locks: none.
-- Not null: rows.
SELECT s.id, s.window_start AS "windowStart", s.window_end AS "windowEnd", sum(p.rows)::bigint AS rows
  FROM searchmill.jobs j
  JOIN searchmill.slices s ON s.job = j.name
  JOIN searchmill.published_periods p ON p.slice_id = s.id AND p.rows > 0
 WHERE j.name = :job AND j.removed_at IS NOT NULL
 GROUP BY s.id
 ORDER BY s.window_start, s.id
