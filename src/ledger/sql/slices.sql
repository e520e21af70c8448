-- Slices: the windows of a job, and what is published of each.

-- name: slices/bound-published
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
 ORDER BY w.week;

-- name: slices/insert
-- Makes sure that a slice exists. Params: :job, :dataset, :accountId, :windowStart, :windowEnd. Result: id.
-- Repeating returns the same slice.
INSERT INTO searchmill.slices AS s (job, dataset, account_id, window_start, window_end) VALUES (:job, :dataset, :accountId, :windowStart, :windowEnd)
ON CONFLICT (job, window_start, window_end) DO UPDATE SET dataset = excluded.dataset, account_id = excluded.account_id
RETURNING id;

-- name: slices/read
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
 WHERE s.job = :job;

-- name: slices/read-questions
-- The questions of the published weeks of a window, from the newest publication of each.
-- Params: :job, :windowStart, :windowEnd. Result: week (from 0 for the first), filtersDigest, request (the submit body). Locks: none.
-- Not null: week, filtersDigest.
SELECT DISTINCT ON (w.day) (w.day::date - :windowStart::date) / 7 AS week, s.published_filters_digest AS "filtersDigest", e.request
  FROM generate_series(:windowStart::timestamp, :windowEnd::timestamp, interval '7 days') AS w (day)
  JOIN searchmill.slices s ON s.job = :job AND w.day::date BETWEEN s.window_start AND s.window_end
  JOIN searchmill.executions e ON e.id = s.published_execution_id
 ORDER BY w.day, s.published_at DESC;

-- name: slices/read-requests
-- The submit bodies of published weeks of a job, the newest week first.
-- Params: :job, :weeks (their first days). Result: request, for each of them that is published.
SELECT request
  FROM (SELECT DISTINCT ON (w.week) w.week, e.request
          FROM unnest(:weeks::date[]) AS w (week)
          JOIN searchmill.slices s ON s.job = :job AND w.week BETWEEN s.window_start AND s.window_end
          JOIN searchmill.executions e ON e.id = s.published_execution_id
         ORDER BY w.week, s.published_at DESC) newest
 ORDER BY week DESC;

-- name: slices/watch
-- How the slices of some executions are doing. Params: :executionIds. Result: the latest execution of each slice. Locks: none.
-- Not null: windowStart, windowEnd.
SELECT DISTINCT ON (s.id) s.id AS "sliceId", s.job, s.dataset, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd",
       e.id AS "executionId", e.state, e.pages, e.rows_received AS "rowsReceived", e.rows_quarantined AS "rowsQuarantined", searchmill.expected_rows(e.total_row_count, e.request)::text AS "totalRowCount",
       coalesce(e.end_reason, e.last_error) AS detail, e.waiting_for AS "waitingFor", e.errors_in_row AS "errorsInRow", e.objections,
       e.poll_calls AS "pollCalls", e.page_calls AS "pageCalls"
  FROM searchmill.executions w
  JOIN searchmill.slices s ON s.id = w.slice_id
  JOIN searchmill.executions e ON e.slice_id = s.id
 WHERE w.id = ANY (:executionIds::bigint[])
 ORDER BY s.id, e.id DESC;
