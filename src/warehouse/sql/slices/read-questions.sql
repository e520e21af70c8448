-- The questions of the published weeks of a window, from the newest publication of each.
-- Params: :job, :windowStart, :windowEnd. Result: week (from 0 for the first), filtersDigest, request (the submit body). Locks: none.
-- Not null: week, filtersDigest.
SELECT DISTINCT ON (w.day) (w.day::date - :windowStart::date) / 7 AS week, s.published_filters_digest AS "filtersDigest", e.request
  FROM generate_series(:windowStart::timestamp, :windowEnd::timestamp, interval '7 days') AS w (day)
  JOIN searchmill.slices s ON s.job = :job AND w.day::date BETWEEN s.window_start AND s.window_end
  JOIN searchmill.executions e ON e.id = s.published_execution_id
 ORDER BY w.day, s.published_at DESC
