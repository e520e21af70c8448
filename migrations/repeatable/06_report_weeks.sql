-- Which weeks of summaries are out of date. A publication marks them in its transaction, by searchmill.note_publication
-- (16_changed_weeks.sql).

CREATE OR REPLACE FUNCTION search_reports.week_of(day date) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN day - extract(dow FROM day)::integer;
COMMENT ON FUNCTION search_reports.week_of IS 'The Sunday that begins the week of a day.';

-- define_views (12_summaries.sql) replaces it.
CREATE OR REPLACE FUNCTION search_reports.reads_marked_weeks() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE RETURN true;
COMMENT ON FUNCTION search_reports.reads_marked_weeks IS 'Whether this reader computes marked weeks: one who may read the tables. If '
  'summaries are on the nodes of a Citus cluster, nobody does. Others leave these weeks out until they are stored.';

CREATE OR REPLACE VIEW search_reports.marked_weeks WITH (security_barrier) AS
SELECT subject, account_id, week, bool_and(is_live) AND search_reports.reads_marked_weeks() AS is_live
  FROM searchmill.stale_weeks
 WHERE (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login)
 GROUP BY subject, account_id, week;
COMMENT ON VIEW search_reports.marked_weeks IS 'Weeks whose stored summaries are out of date.';
COMMENT ON COLUMN search_reports.marked_weeks.is_live IS 'Whether readers compute the week. They leave other marked weeks out until these '
  'are stored.';

CREATE OR REPLACE VIEW search_reports.live_weeks AS SELECT subject, account_id, week FROM search_reports.marked_weeks WHERE is_live;
COMMENT ON VIEW search_reports.live_weeks IS 'Marked weeks that readers compute.';

-- Readers compute about four weeks of a subject and account, so that a backfill does not make them compute a year. There may be a few more,
-- because concurrent transactions do not see each other's marks. All others are left out until they are stored. The newest weeks come
-- first.
-- Reads one view only: a migration replaces views one after another, so that it could deadlock with a publication that reads two.
CREATE OR REPLACE FUNCTION search_reports.mark_weeks(dataset text, account bigint, weeks date[]) RETURNS void
LANGUAGE sql
BEGIN ATOMIC
  WITH live AS MATERIALIZED (
    SELECT subject, week FROM search_reports.marked_weeks
     WHERE is_live AND subject = ANY (search_reports.subjects_of(dataset)) AND account_id = account
  )
  INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
  SELECT subject, account, week,
         l.week IS NOT NULL
           OR row_number() OVER (PARTITION BY subject, l.week IS NULL ORDER BY week DESC) + (SELECT count(*) FROM live o
               WHERE o.subject = n.subject) <= 4
    FROM (SELECT subject, place, week FROM unnest(search_reports.subjects_of(dataset)) WITH ORDINALITY AS s (subject, place),
          unnest(weeks) AS week) AS n
    LEFT JOIN live l USING (subject, week)
   ORDER BY n.place, week;
END;
COMMENT ON FUNCTION search_reports.mark_weeks IS 'Marks the weeks of an account that a publication has changed. Readers compute about four '
  'of them.';

-- The rows of a slice are inside its window, unless somebody has approved one of its executions. Then they may be in any week: the recorded
-- differences, or the staged rows, say in which. Called in the transaction that publishes or replays, after it has written its changes.
CREATE OR REPLACE FUNCTION search_reports.weeks_of_publication(slice searchmill.slices, execution bigint) RETURNS TABLE (account_id bigint,
    week date)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  changes text := 'searchmill_staging.' || quote_ident('execution_' || execution);
BEGIN
  RETURN QUERY
  SELECT slice.account_id, day::date
    FROM generate_series(search_reports.week_of(slice.window_start)::timestamp, slice.window_end::timestamp, interval '7 days') AS day;
  IF EXISTS (SELECT FROM searchmill.executions WHERE slice_id = slice.id AND approved_at IS NOT NULL) THEN
    IF to_regclass('pg_temp.searchmill_changes') IS NOT NULL THEN
      changes := 'pg_temp.searchmill_changes';
    END IF;
    RETURN QUERY EXECUTE format('
      SELECT account_id, week
        FROM (SELECT DISTINCT account_id, search_reports.week_of(time_period_start) AS week FROM %s) AS changed
       WHERE account_id <> %s OR week NOT BETWEEN search_reports.week_of(%L) AND %L',
      changes, slice.account_id, slice.window_start, slice.window_end);
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.weeks_of_publication IS 'The accounts and weeks whose rows a publication, or a replay into it, may have '
  'changed.';

-- Runs in the transaction that changes the figures.
CREATE OR REPLACE FUNCTION search_reports.note_marked() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO searchmill.figure_changes (account_id) SELECT DISTINCT account_id FROM marked;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION search_reports.note_marked IS 'Notes the accounts whose weeks were marked.';

DO $$
BEGIN
  PERFORM searchmill.keep_trigger('note_marked', 'searchmill.stale_weeks', 'AFTER INSERT',
    'REFERENCING NEW TABLE AS marked FOR EACH STATEMENT EXECUTE FUNCTION search_reports.note_marked()');
END
$$;

-- Steps through the index from one day of an account to the next, so no table is read. If Citus distributes the table, one pass over the
-- nodes finds its weeks: Citus refuses a recursive query over all accounts.
CREATE OR REPLACE FUNCTION search_reports.weeks_in_tables() RETURNS TABLE (subject text, account_id bigint, week date)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
SET enable_incremental_sort = off SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  part           record;
  days           text;
  is_distributed boolean;
BEGIN
  FOR part IN
    SELECT dataset, relid AS oid, relid::regclass AS name
      FROM unnest(search_reports.summarised_datasets()) AS dataset,
           pg_partition_tree(format('search.%I', dataset)::regclass)
     WHERE isleaf AND parentrelid IS NOT NULL
  LOOP
    is_distributed := false;
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
      EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)' INTO is_distributed USING part.oid;
    END IF;
    IF is_distributed THEN
      days := format('SELECT DISTINCT account_id, time_period_start FROM %s', part.name);
    ELSE
      days := format('
        WITH RECURSIVE days AS (
          (SELECT account_id, time_period_start FROM %1$s ORDER BY account_id, time_period_start LIMIT 1)
          UNION ALL
          SELECT n.account_id, n.time_period_start
            FROM days d CROSS JOIN LATERAL (
              SELECT p.account_id, p.time_period_start FROM %1$s p
               WHERE (p.account_id, p.time_period_start) > (d.account_id, d.time_period_start)
               ORDER BY p.account_id, p.time_period_start LIMIT 1) n
        )
        SELECT account_id, time_period_start FROM days', part.name);
    END IF;
    -- Materialized, because the nodes do not know what is joined.
    RETURN QUERY EXECUTE format('
      WITH days AS MATERIALIZED (%1$s)
      SELECT DISTINCT subject, account_id, search_reports.week_of(time_period_start)
        FROM days CROSS JOIN unnest(search_reports.subjects_of(%2$L)) AS subject', days, part.dataset);
  END LOOP;
END
$$;
COMMENT ON FUNCTION search_reports.weeks_in_tables IS 'Accounts and weeks that the tables of schema search have rows of, with the subjects '
  'they belong to; a row may come twice.';
