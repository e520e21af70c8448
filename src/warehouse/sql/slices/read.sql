-- What planning needs to know about a job's slices: the latest execution of each, and what is published.
-- Params: :job. Result: one row per slice. Locks: none.
-- Not null: sliceId, start, end.
SELECT s.id AS "sliceId", s.window_start AS "start", s.window_end AS "end",
       s.published_at AS "publishedAt", s.published_filters_digest AS "publishedFiltersDigest",
       s.published_rows AS "publishedRows", s.published_week_rows::float8[] AS "publishedWeekRows",
       p.planned_at AS "publishedPlannedAt",
       l.state AS "latestState", l.planned_at AS "latestPlannedAt", l.ended_at AS "latestEndedAt", l.filters_digest AS "latestFiltersDigest"
  FROM searchmill.slices s
  LEFT JOIN searchmill.executions p ON p.id = s.published_execution_id
  LEFT JOIN LATERAL (SELECT * FROM searchmill.executions e WHERE e.slice_id = s.id ORDER BY e.id DESC LIMIT 1) l ON true
 WHERE s.job = :job
