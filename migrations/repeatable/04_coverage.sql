-- searchmill.weeks says how each week of each job stands. Triggers write it in the transaction that changes a job, a slice or an execution,
-- whoever does: also processes of 1.0.0, which do not know the table.

-- Rows are locked before they are computed, in the order of their weeks: a statement sees what others committed before it began, so that of
-- two slices that cover a week the later transaction sees both.
CREATE OR REPLACE FUNCTION searchmill.write_weeks(of_job text, of_weeks date[]) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO searchmill.weeks (job, week, state)
  SELECT of_job, w, 'missing' FROM unnest(of_weeks) AS w ORDER BY w
      ON CONFLICT DO NOTHING;
  PERFORM FROM searchmill.weeks w WHERE w.job = of_job AND w.week = ANY (of_weeks) ORDER BY w.week FOR UPDATE;
  UPDATE searchmill.weeks w
     SET state = coalesce(b.state, 'missing'), published_at = b.published_at, slice_id = b.slice_id, execution_id = b.execution_id
    FROM unnest(of_weeks) AS g (week)
    LEFT JOIN LATERAL (
         -- Of several slices that cover a week, the one that says most of it.
         SELECT s.id AS slice_id, e.id AS execution_id, max(s.published_at) OVER () AS published_at,
                CASE WHEN bool_or(e.state = 'held') OVER () THEN 'held'
                     WHEN max(s.published_at) OVER () IS NOT NULL THEN 'published'
                     WHEN bool_or(e.ended_at IS NULL) FILTER (WHERE e.id IS NOT NULL) OVER () THEN 'running'
                     WHEN s.expired_at > e.state_since THEN 'expired'
                     WHEN bool_or(e.state IN ('failed', 'discarded', 'abandoned')) OVER () THEN 'failed'
                     ELSE 'missing' END AS state
           FROM searchmill.slices s
           LEFT JOIN LATERAL (SELECT l.id, l.state, l.state_since, l.ended_at FROM searchmill.executions l
                               WHERE l.slice_id = s.id ORDER BY l.id DESC LIMIT 1) AS e ON true
          WHERE s.job = of_job AND g.week BETWEEN s.window_start AND s.window_end AND (g.week - s.window_start) % 7 = 0
          ORDER BY e.id IS NULL, e.state = 'held' DESC, s.published_at DESC NULLS LAST, e.ended_at IS NULL DESC, e.id DESC
          LIMIT 1) AS b ON true
   WHERE w.job = of_job AND w.week = g.week
     AND (w.state, w.published_at, w.slice_id, w.execution_id)
         IS DISTINCT FROM (coalesce(b.state, 'missing'), b.published_at, b.slice_id, b.execution_id);
  DELETE FROM searchmill.weeks w
   WHERE w.job = of_job AND w.week = ANY (of_weeks) AND w.slice_id IS NULL
     AND NOT EXISTS (SELECT FROM searchmill.jobs j
                      WHERE j.name = of_job AND j.removed_at IS NULL AND w.week BETWEEN j.since AND j.expected_through
                        AND (w.week - j.since) % 7 = 0);
END
$$;
COMMENT ON FUNCTION searchmill.write_weeks IS 'Writes how weeks of a job stand. A week that no slice covers has a row while the job '
  'expects it.';

CREATE OR REPLACE FUNCTION searchmill.write_weeks_of_slice() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  slice searchmill.slices;
BEGIN
  IF TG_TABLE_NAME = 'executions' THEN
    SELECT * INTO slice FROM searchmill.slices s WHERE s.id = CASE WHEN TG_OP = 'DELETE' THEN OLD.slice_id ELSE NEW.slice_id END;
  ELSIF TG_OP = 'DELETE' THEN
    slice := OLD;
  ELSE
    slice := NEW;
  END IF;
  PERFORM searchmill.write_weeks(slice.job, ARRAY(SELECT slice.window_start + 7 * n
                                                    FROM generate_series(0, (slice.window_end - slice.window_start) / 7) AS n));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION searchmill.write_weeks_of_slice IS 'Writes the weeks of a slice that has changed, or whose execution has.';

CREATE OR REPLACE FUNCTION searchmill.write_weeks_of_job() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM searchmill.weeks w WHERE w.job = OLD.name;
    RETURN NULL;
  ELSIF TG_OP = 'UPDATE' AND NEW.name <> OLD.name THEN
    UPDATE searchmill.weeks w SET job = NEW.name WHERE w.job = OLD.name;
  END IF;
  PERFORM searchmill.write_weeks(NEW.name, ARRAY(SELECT w.week FROM searchmill.weeks w WHERE w.job = NEW.name
                                                  UNION
                                                 SELECT d::date FROM generate_series(NEW.since::timestamp, NEW.expected_through::timestamp,
                                                                                     interval '7 days') AS d));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION searchmill.write_weeks_of_job IS 'Writes the weeks of a job that expects others than before, or has another name.';

CREATE OR REPLACE FUNCTION searchmill.write_all_weeks() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM searchmill.weeks;
  PERFORM searchmill.write_weeks(w.job, array_agg(DISTINCT w.week))
     FROM (SELECT s.job, s.window_start + 7 * n AS week
             FROM searchmill.slices s, generate_series(0, (s.window_end - s.window_start) / 7) AS n
            UNION ALL
           SELECT j.name, d::date
             FROM searchmill.jobs j, generate_series(j.since::timestamp, j.expected_through::timestamp, interval '7 days') AS d) AS w
    GROUP BY w.job;
END
$$;
COMMENT ON FUNCTION searchmill.write_all_weeks IS 'Writes all weeks of all jobs anew.';

CREATE OR REPLACE FUNCTION searchmill.write_weeks_after_truncate() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM searchmill.write_all_weeks();
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION searchmill.write_weeks_after_truncate IS 'Writes all weeks after jobs, slices or executions were emptied.';

-- On the way from planned to staged a week only runs.
DO $$
BEGIN
  IF (SELECT bool_or(searchmill.keep_trigger(name, of_table::regclass, events, action))
        FROM (VALUES
          ('write_weeks', 'searchmill.executions', 'AFTER INSERT OR DELETE',
           'FOR EACH ROW EXECUTE FUNCTION searchmill.write_weeks_of_slice()'),
          ('write_changed_weeks', 'searchmill.executions', 'AFTER UPDATE OF state', $action$FOR EACH ROW
             WHEN (OLD.state <> NEW.state
                   AND (NEW.ended_at IS NOT NULL OR OLD.ended_at IS NOT NULL OR 'held' IN (OLD.state, NEW.state)))
             EXECUTE FUNCTION searchmill.write_weeks_of_slice()$action$),
          ('write_weeks', 'searchmill.slices', 'AFTER INSERT OR DELETE', 'FOR EACH ROW EXECUTE FUNCTION searchmill.write_weeks_of_slice()'),
          ('write_changed_weeks', 'searchmill.slices', 'AFTER UPDATE OF published_at, expired_at', 'FOR EACH ROW
             WHEN ((OLD.published_at, OLD.expired_at) IS DISTINCT FROM (NEW.published_at, NEW.expired_at))
             EXECUTE FUNCTION searchmill.write_weeks_of_slice()'),
          ('write_weeks', 'searchmill.jobs', 'AFTER INSERT OR DELETE', 'FOR EACH ROW EXECUTE FUNCTION searchmill.write_weeks_of_job()'),
          ('write_changed_weeks', 'searchmill.jobs', 'AFTER UPDATE', 'FOR EACH ROW
             WHEN ((OLD.name, OLD.since, OLD.expected_through, OLD.removed_at)
                   IS DISTINCT FROM (NEW.name, NEW.since, NEW.expected_through, NEW.removed_at))
             EXECUTE FUNCTION searchmill.write_weeks_of_job()'),
          ('write_weeks_after_truncate', 'searchmill.executions', 'AFTER TRUNCATE',
           'FOR EACH STATEMENT EXECUTE FUNCTION searchmill.write_weeks_after_truncate()'),
          ('write_weeks_after_truncate', 'searchmill.slices', 'AFTER TRUNCATE',
           'FOR EACH STATEMENT EXECUTE FUNCTION searchmill.write_weeks_after_truncate()'),
          ('write_weeks_after_truncate', 'searchmill.jobs', 'AFTER TRUNCATE',
           'FOR EACH STATEMENT EXECUTE FUNCTION searchmill.write_weeks_after_truncate()')
        ) AS t (name, of_table, events, action)) THEN
    PERFORM searchmill.write_all_weeks();
  END IF;
END
$$;

CREATE OR REPLACE VIEW searchmill.coverage AS
SELECT w.job,
       w.week,
       w.state,
       j.removed_at IS NULL AND w.week BETWEEN j.since AND coalesce(j.expected_through, '-infinity') AND (w.week - j.since) % 7 = 0
         AND w.state <> 'expired' AS is_expected,
       w.published_at,
       s.published_rows AS slice_rows,
       w.slice_id,
       w.execution_id,
       coalesce(e.state, CASE WHEN s.published_execution_id IS NOT NULL THEN 'published' END) AS execution_state,
       coalesce(e.state_since, s.published_at) AS state_since,
       e.due_at,
       e.rows_received,
       e.total_row_count,
       s.published_filters_digest,
       -- Published, but its rows are gone: another job has displaced them, or they have expired.
       CASE WHEN e.state = 'published' THEN CASE WHEN w.published_at IS NULL THEN s.displaced_reason END
            WHEN e.ended_at IS NULL
            THEN nullif(concat_ws('; ', e.waiting_for, CASE WHEN e.errors_in_row > 0 THEN e.last_error END), '')
            ELSE e.end_reason END AS detail,
       (SELECT min(p.paused_at) FROM searchmill.pauses p
         WHERE (p.kind, p.name) IN (('job', j.name), ('connection', j.connection))) AS paused_since
  FROM searchmill.weeks w
  JOIN searchmill.jobs j ON j.name = w.job
  LEFT JOIN searchmill.slices s ON s.id = w.slice_id
  LEFT JOIN searchmill.executions e ON e.id = w.execution_id;
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
