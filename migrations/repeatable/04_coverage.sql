-- Coverage is fast, even for years of weeks of hundreds of jobs. It does not read the executions of settled weeks, which are almost all
-- weeks: published, and not tried again since. It compares slices only where one of them spans several weeks, and looks for missing weeks
-- only in jobs that have some. A filter on job reaches every part except two subqueries that small indexes answer: slices of several weeks,
-- and executions that are not published.

-- No WITH at the top, and the same types in both parts of the UNION: only then does the planner leave out columns that are not asked for.
CREATE OR REPLACE VIEW searchmill.coverage AS
SELECT k.job,
       k.week,
       CASE WHEN k.is_held THEN 'held'
            WHEN k.published_at IS NOT NULL THEN 'published'
            WHEN k.is_live THEN 'running'
            WHEN EXISTS (SELECT FROM searchmill.slices x WHERE x.id = k.slice_id AND x.expired_at > k.state_since) THEN 'expired'
            WHEN k.has_failed THEN 'failed'
            ELSE 'missing' END AS state,
       j.removed_at IS NULL AND k.week BETWEEN j.since AND coalesce(j.expected_through, '-infinity')
         AND (k.week - j.since) % 7 = 0 AND (k.published_at IS NOT NULL OR k.is_live OR k.is_held
                                             OR NOT EXISTS (SELECT FROM searchmill.slices x WHERE x.id = k.slice_id
                                                            AND x.expired_at > k.state_since)) AS is_expected,
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
       -- It was published, but its rows are gone: another job has displaced them, or they have expired.
       CASE WHEN k.published_at IS NULL AND k.execution_state = 'published'
            THEN (SELECT x.displaced_reason FROM searchmill.slices x WHERE x.id = k.slice_id) ELSE k.detail END AS detail,
       (SELECT min(p.paused_at) FROM searchmill.pauses p
         WHERE (p.kind, p.name) IN (('job', j.name), ('connection', j.connection))) AS paused_since
  FROM (
    -- Settled: the latest execution of the slice is the published one. Only for jobs whose slices are all single weeks.
    SELECT s.job, s.window_start AS week, s.published_at, false AS is_held, false AS is_live, false AS has_failed, s.published_rows,
           s.id AS slice_id, e.id AS execution_id, 'published'::text AS execution_state, s.published_at AS state_since,
           NULL::timestamptz AS due_at, e.rows_received, e.total_row_count, s.published_filters_digest, NULL::text AS detail
      FROM searchmill.slices s
      LEFT JOIN searchmill.executions e ON e.id = s.published_execution_id
      LEFT JOIN (SELECT slice_id, max(id) AS id FROM searchmill.executions WHERE state <> 'published' GROUP BY slice_id) unpublished
        ON unpublished.slice_id = s.id
     WHERE s.published_execution_id IS NOT NULL
       AND (unpublished.id IS NULL OR unpublished.id < s.published_execution_id)
       AND s.job NOT IN (SELECT job FROM searchmill.slices WHERE window_end - window_start > 6)
    UNION ALL
    SELECT job, week, published_at, is_held, is_live, has_failed, published_rows, slice_id, execution_id, execution_state, state_since,
           due_at, rows_received, total_row_count, published_filters_digest, detail
      FROM (
        WITH loads AS NOT MATERIALIZED (
          -- The latest execution by NOT EXISTS rather than LIMIT 1: the planner may then join whole tables instead of looking up
          -- each slice, and its estimate stays below the threshold of jit. Compiling the query would take longer than running it.
          SELECT s.job, s.window_start, s.window_end - s.window_start <= 6 AS is_one_week, s.id, s.published_execution_id,
                 s.published_at, s.published_rows, s.published_filters_digest, l.*
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
          -- The weeks of slices that span several weeks.
          SELECT s.job, s.window_start + 7 * n AS week, s.id
            FROM searchmill.slices s, generate_series(0, (s.window_end - s.window_start) / 7) AS n
           WHERE s.window_end - s.window_start > 6
        ), contested AS (
          -- Weeks that more than one slice may cover, once for each of these slices.
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
        ), uncontested AS (
          SELECT * FROM loads WHERE published_execution_id IS NULL
          UNION ALL
          -- Published slices that were tried again.
          SELECT * FROM loads l
           WHERE job NOT IN (SELECT job FROM several)
             AND EXISTS (SELECT FROM searchmill.executions x
                          WHERE x.slice_id = l.id AND x.id > l.published_execution_id AND x.state <> 'published')
          UNION ALL
          SELECT * FROM loads WHERE published_execution_id IS NOT NULL AND job IN (SELECT job FROM several)
        )
        SELECT job, window_start AS week, published_at, is_held, is_live, has_failed, published_rows, slice_id, execution_id,
               execution_state, state_since, due_at, rows_received, total_row_count, published_filters_digest, detail
          FROM uncontested u
         WHERE is_one_week AND NOT EXISTS (SELECT FROM several v WHERE v.job = u.job AND v.week = u.window_start)
        UNION ALL
        SELECT job, week, any_published_at, any_held, any_live, any_failed, published_rows, slice_id, execution_id,
               execution_state, state_since, due_at, rows_received, total_row_count, published_filters_digest, detail
          FROM ranked WHERE rank = 1
      ) unsettled
  ) k JOIN searchmill.jobs j ON j.name = k.job
UNION ALL
-- Expected weeks without any slice. A slice that starts with the week covers it.
SELECT j.name, w::date, 'missing'::text, true, NULL::timestamptz, NULL::bigint, NULL::bigint, NULL::bigint, NULL::text,
       NULL::timestamptz, NULL::timestamptz, NULL::bigint, NULL::bigint, NULL::text, NULL::text,
       (SELECT min(p.paused_at) FROM searchmill.pauses p WHERE (p.kind, p.name) IN (('job', j.name), ('connection', j.connection)))
  FROM searchmill.jobs j, generate_series(j.since::timestamp, j.expected_through::timestamp, interval '7 days') AS w
 WHERE j.removed_at IS NULL
   -- Only jobs with fewer slices than weeks: most jobs lack no week.
   AND (j.expected_through - j.since) / 7 + 1 > (
     SELECT count(DISTINCT s.window_start) FROM searchmill.slices s
      WHERE s.job = j.name AND s.window_start BETWEEN j.since AND j.expected_through AND (s.window_start - j.since) % 7 = 0)
   AND NOT EXISTS (SELECT FROM searchmill.slices s WHERE s.job = j.name AND s.window_start = w::date)
   AND NOT EXISTS (SELECT FROM searchmill.slices s
                    WHERE s.job = j.name AND s.window_end - s.window_start > 6
                      AND w::date BETWEEN s.window_start AND s.window_end AND (w::date - s.window_start) % 7 = 0);
COMMENT ON VIEW searchmill.coverage IS 'Job x week: published, running, held, failed, missing or expired, and why. "searchmill status" '
  'shows this view.';
COMMENT ON COLUMN searchmill.coverage.job IS 'Job.';
COMMENT ON COLUMN searchmill.coverage.week IS 'First day of the week.';
COMMENT ON COLUMN searchmill.coverage.state IS 'published; running: it is being loaded for the first time, or tried again; held: loaded, '
  'but the audit objected; failed; missing: no load has published it, and none is under way or has failed; expired: keep_weeks has '
  'removed its rows.';
COMMENT ON COLUMN searchmill.coverage.is_expected IS 'Whether the job, as it is configured now, asks for the week. False for a week that '
  'keep_weeks has removed.';
COMMENT ON COLUMN searchmill.coverage.published_at IS 'When it was last published; NULL if never. A held week may show what was published '
  'before.';
COMMENT ON COLUMN searchmill.coverage.slice_rows IS 'Rows of the publication, which may span several weeks.';
COMMENT ON COLUMN searchmill.coverage.slice_id IS 'Slice that covers the week; NULL for none.';
COMMENT ON COLUMN searchmill.coverage.execution_id IS 'Its latest execution; NULL for weeks without one.';
COMMENT ON COLUMN searchmill.coverage.execution_state IS 'State of that execution.';
COMMENT ON COLUMN searchmill.coverage.state_since IS 'When the execution entered its state.';
COMMENT ON COLUMN searchmill.coverage.due_at IS 'When its next step is due; NULL when it is held or ended.';
COMMENT ON COLUMN searchmill.coverage.rows_received IS 'Rows that it has received so far.';
COMMENT ON COLUMN searchmill.coverage.total_row_count IS 'Rows that the service announced; NULL if it announced none.';
COMMENT ON COLUMN searchmill.coverage.published_filters_digest IS 'Filters of the execution that published the rows.';
COMMENT ON COLUMN searchmill.coverage.detail IS 'What the execution waits for, its last error, or why it ended.';
COMMENT ON COLUMN searchmill.coverage.paused_since IS 'When the job or its connection was paused; NULL if neither is.';
