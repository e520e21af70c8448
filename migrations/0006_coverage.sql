-- Coverage that answers at once, also for years of weeks of hundreds of jobs: the view of 0001 with the same columns and the
-- same meaning. It tries several slices against each other only where one of them spans several weeks.
-- Guarantees: reads only; grants on the view are kept; a filter on job still reaches every part of it.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

-- Slices of several weeks are few or none: the index finds them, the statistics tell the planner how few.
CREATE INDEX slices_several_weeks ON searchmill.slices (job) WHERE window_end - window_start > 6;
CREATE STATISTICS searchmill.slices_length ON (window_end - window_start) FROM searchmill.slices;
DO $$
BEGIN
  -- Not an empty table: known to be empty, it would be read from end to end by the plans that sessions keep.
  IF EXISTS (SELECT FROM searchmill.slices) THEN
    ANALYZE searchmill.slices;
  END IF;
END
$$;

CREATE OR REPLACE VIEW searchmill.coverage AS
WITH loads AS NOT MATERIALIZED (
  -- The latest execution by NOT EXISTS rather than LIMIT 1: the planner may then join whole tables instead of looking up
  -- each slice, and its estimate stays below what makes it compile the query (jit), which takes longer than to run it.
  SELECT s.job, s.window_start, s.window_end - s.window_start <= 6 AS is_one_week, s.id, s.published_at, s.published_rows,
         s.published_filters_digest, l.*
    FROM searchmill.slices s
    LEFT JOIN (SELECT e.slice_id, e.id AS execution_id, e.state AS execution_state, e.state_since, e.due_at, e.rows_received,
                      e.total_row_count,
                      CASE WHEN e.ended_at IS NULL
                           THEN nullif(concat_ws('; ', e.waiting_for, CASE WHEN e.errors_in_row > 0 THEN e.last_error END), '')
                           ELSE e.end_reason END AS detail,
                      e.state = 'held' AS is_held,
                      e.ended_at IS NULL AND e.state <> 'held' AS is_live,
                      e.state IN ('failed', 'discarded', 'abandoned') AS has_failed
                 FROM searchmill.executions e
                WHERE NOT EXISTS (SELECT FROM searchmill.executions n WHERE n.slice_id = e.slice_id AND n.id > e.id)) l
      ON l.slice_id = s.id
), several AS NOT MATERIALIZED (
  -- The weeks of slices of several weeks.
  SELECT s.job, s.window_start + 7 * n AS week, s.id
    FROM searchmill.slices s, generate_series(0, (s.window_end - s.window_start) / 7) AS n
   WHERE s.window_end - s.window_start > 6
), contested AS (
  -- The weeks that more than one slice may cover, with each slice that does.
  SELECT v.week, l.* FROM several v JOIN loads l ON l.id = v.id AND l.job = v.job
  UNION ALL
  SELECT l.window_start, l.* FROM loads l
   WHERE l.is_one_week AND EXISTS (SELECT FROM several v WHERE v.job = l.job AND v.week = l.window_start)
), ranked AS (
  SELECT *, row_number() OVER best AS rank, max(published_at) OVER best AS any_published_at,
         bool_or(is_held) OVER best AS any_held, bool_or(is_live) OVER best AS any_live, bool_or(has_failed) OVER best AS any_failed
    FROM contested
  WINDOW best AS (PARTITION BY job, week
                  ORDER BY execution_id IS NULL, is_held DESC, published_at DESC NULLS LAST, is_live DESC, execution_id DESC
                  ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
), known AS (
  SELECT job, window_start AS week, published_at, is_held, is_live, has_failed, published_rows, slice_id, execution_id, execution_state,
         state_since, due_at, rows_received, total_row_count, published_filters_digest, detail
    FROM loads l
   WHERE is_one_week AND NOT EXISTS (SELECT FROM several v WHERE v.job = l.job AND v.week = l.window_start)
  UNION ALL
  SELECT job, week, any_published_at, any_held, any_live, any_failed, published_rows, slice_id, execution_id, execution_state,
         state_since, due_at, rows_received, total_row_count, published_filters_digest, detail
    FROM ranked WHERE rank = 1
)
SELECT k.job,
       k.week,
       CASE WHEN k.is_held THEN 'held'
            WHEN k.published_at IS NOT NULL THEN 'published'
            WHEN k.is_live THEN 'running'
            WHEN k.has_failed THEN 'failed'
            ELSE 'missing' END AS state,
       j.removed_at IS NULL AND k.week BETWEEN j.since AND coalesce(j.expected_through, '-infinity')
         AND (k.week - j.since) % 7 = 0 AS is_expected,
       k.published_at,
       k.published_rows AS slice_rows,
       k.slice_id,
       k.execution_id,
       k.execution_state,
       k.state_since,
       k.due_at,
       k.rows_received,
       k.total_row_count,
       k.published_filters_digest,
       k.detail
  FROM known k JOIN searchmill.jobs j ON j.name = k.job
UNION ALL
-- Expected weeks of which nothing is known. A slice that starts with a week covers it.
SELECT j.name, w::date, 'missing', true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
  FROM searchmill.jobs j, generate_series(j.since::timestamp, j.expected_through::timestamp, interval '7 days') AS w
 WHERE j.removed_at IS NULL
   AND NOT EXISTS (SELECT FROM searchmill.slices s WHERE s.job = j.name AND s.window_start = w::date)
   AND NOT EXISTS (SELECT FROM several v WHERE v.job = j.name AND v.week = w::date);
