-- What searchmill.coverage must say, written for its reader: all slices of a week are tried against each other.
CREATE VIEW public.plain_coverage AS
WITH weeks AS (
  SELECT job, week, bool_or(is_expected) AS is_expected
    FROM (SELECT j.name AS job, w::date AS week, true AS is_expected
            FROM searchmill.jobs j,
                 generate_series(j.since::timestamp, j.expected_through::timestamp, interval '7 days') AS w
           WHERE j.removed_at IS NULL
          UNION ALL
          SELECT s.job, w::date, false
            FROM searchmill.slices s,
                 generate_series(s.window_start::timestamp, s.window_end::timestamp, interval '7 days') AS w) AS known
   GROUP BY job, week
), ranked AS (
  SELECT s.job, w::date AS week, s.id AS slice_id, s.published_at, s.published_rows,
         s.published_filters_digest, l.id AS execution_id, l.state AS execution_state, l.state_since, l.due_at,
         l.total_row_count, l.rows_received, CASE WHEN l.ended_at IS NULL
              THEN nullif(concat_ws('; ', l.waiting_for, CASE WHEN l.errors_in_row > 0 THEN l.last_error END), '')
              ELSE l.end_reason END AS detail,
         row_number() OVER (PARTITION BY s.job, w::date
                            ORDER BY l.id IS NULL, (l.state = 'held') DESC, s.published_at DESC NULLS LAST, (l.ended_at IS NULL) DESC, l.id DESC) AS rank,
         max(s.published_at) OVER (PARTITION BY s.job, w::date) AS any_published_at,
         bool_or(l.state = 'held') OVER (PARTITION BY s.job, w::date) AS any_held,
         bool_or(l.id IS NOT NULL AND l.ended_at IS NULL AND l.state <> 'held') OVER (PARTITION BY s.job, w::date) AS any_live,
         bool_or(l.state IN ('failed', 'discarded', 'abandoned')) OVER (PARTITION BY s.job, w::date) AS any_failed
    FROM searchmill.slices s
   CROSS JOIN generate_series(s.window_start::timestamp, s.window_end::timestamp, interval '7 days') AS w
    LEFT JOIN LATERAL (SELECT e.id, e.state, e.state_since, e.due_at, e.ended_at, e.total_row_count, e.rows_received,
                              e.waiting_for, e.errors_in_row, e.last_error, e.end_reason
                         FROM searchmill.executions e WHERE e.slice_id = s.id ORDER BY e.id DESC LIMIT 1) l ON true
)
SELECT w.job,
       w.week,
       CASE WHEN r.any_held THEN 'held'
            WHEN r.any_published_at IS NOT NULL THEN 'published'
            WHEN r.any_live THEN 'running'
            WHEN r.any_failed THEN 'failed'
            ELSE 'missing' END AS state,
       w.is_expected,
       r.any_published_at AS published_at,
       r.published_rows AS slice_rows,
       r.slice_id,
       r.execution_id,
       r.execution_state,
       r.state_since,
       r.due_at,
       r.rows_received,
       r.total_row_count,
       r.published_filters_digest,
       r.detail
  FROM weeks w
  LEFT JOIN ranked r ON r.job = w.job AND r.week = w.week AND r.rank = 1;
