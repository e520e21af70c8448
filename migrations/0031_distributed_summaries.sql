-- Summaries that Citus may distribute with the tables they are made from. Functions that compute them return columns, no longer the rows of
-- the tables that store them: Citus takes no table whose rows a function returns that a view on it calls. On one server the views show what
-- they showed. On a cluster they leave marked weeks out until these are stored: Citus would bring all accounts' rows to the coordinator to
-- put computed ones beside them.
-- Guarantees: on one server no figure changes, and grants, comments and views of others on these views stay.
-- Locks: views and functions of search_reports are made anew; readers wait for the moment.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE FUNCTION search_reports.reads_marked_weeks() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT true';
COMMENT ON FUNCTION search_reports.reads_marked_weeks IS 'Whether readers compute marked weeks. Where summaries are on the nodes of a Citus cluster they leave them out.';

CREATE OR REPLACE VIEW search_reports.live_weeks AS
SELECT subject, account_id, week FROM search_reports.stale_weeks
 GROUP BY subject, account_id, week HAVING bool_and(is_live) AND search_reports.reads_marked_weeks();

CREATE OR REPLACE VIEW search_reports.weeks AS
SELECT k.dataset, k.account_id, k.week,
       CASE WHEN m.week IS NOT NULL THEN 'summarising' WHEN k.is_held THEN 'held' WHEN k.has_failed THEN 'failed' WHEN k.is_missing THEN 'missing'
            WHEN k.is_running THEN 'running' ELSE 'published' END AS state,
       k.is_published,
       nullif(concat_ws('; ', CASE WHEN m.week IS NOT NULL THEN 'being summarised' END,
                        CASE WHEN k.is_published AND k.is_lacking THEN 'partly there: ' ELSE '' END || k.reasons), '') AS reason,
       k.is_published AND k.is_lacking AS is_partial
  FROM (SELECT j.dataset, j.account_id, search_reports.week_of(c.week) AS week, bool_or(c.state = 'held') AS is_held,
               bool_or(c.state = 'failed') AS has_failed, bool_or(c.state = 'missing') AS is_missing, bool_or(c.state = 'running') AS is_running,
               bool_or(c.published_at IS NOT NULL) AS is_published, bool_or(c.published_at IS NULL) AS is_lacking,
               string_agg(c.state || ' (' || c.job || ')', ', ' ORDER BY c.state, c.job) FILTER (WHERE c.state <> 'published') AS reasons
          FROM searchmill.coverage c JOIN searchmill.jobs j ON j.name = c.job
         WHERE c.is_expected OR c.published_at IS NOT NULL OR c.state IN ('held', 'running')
         GROUP BY j.dataset, j.account_id, search_reports.week_of(c.week)) k
  LEFT JOIN (SELECT subject, account_id, week FROM search_reports.stale_weeks
              GROUP BY subject, account_id, week HAVING NOT (bool_and(is_live) AND search_reports.reads_marked_weeks())) m
    ON m.subject = (search_reports.subjects_of(k.dataset))[1] AND m.account_id = k.account_id AND m.week = k.week;

-- The views ------------------------------------------------------------------------------------------------------------

-- Citus sends a list of the marked weeks to the nodes; it can for NOT IN alone. Views stay on the coordinator.
CREATE FUNCTION search_reports.define_views(place text) RETURNS void
LANGUAGE plpgsql SET client_min_messages = error
AS $$
DECLARE
  summary record;
  columns text;
  nothing text;
  -- NULL where there is no Citus. An owner without superuser may not name it in the function's settings there.
  propagation text := current_setting('citus.enable_ddl_propagation', true);
BEGIN
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true) WHERE propagation IS NOT NULL;
  EXECUTE format('CREATE OR REPLACE FUNCTION search_reports.reads_marked_weeks() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS %L',
                 'SELECT ' || (place = 'server')::text);
  FOR summary IN
    SELECT name, subject FROM (VALUES
      ('ranking_searches', 'rankings'), ('ranking_sites', 'rankings'), ('ranking_totals', 'rankings'), ('ranking_groups', 'rankings'),
      ('ranking_pages', 'rankings'), ('ai_answers', 'answers'), ('ai_citation_sites', 'citations'), ('ai_citation_totals', 'citations'),
      ('ai_cited_pages', 'citations'), ('ai_sentiments', 'sentiments'), ('ai_fan_out', 'fan_out')) AS known (name, subject)
  LOOP
    SELECT string_agg('c.' || quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attnum > 2),
           string_agg(format('NULL::%s AS %I', format_type(atttypid, atttypmod), attname), ', ' ORDER BY attnum)
      INTO columns, nothing
      FROM pg_catalog.pg_attribute
     WHERE attrelid = format('search_reports.%I', summary.name)::regclass AND attnum > 0;
    EXECUTE format('CREATE OR REPLACE VIEW search_reports.%I AS ', summary.name) || CASE place WHEN 'moving' THEN
      format('SELECT %s WHERE false', nothing)
    ELSE
      format('SELECT c.account_id, c.week, %s FROM search_reports.%I c WHERE %s', columns, summary.name || '_stored',
             format(CASE place WHEN 'server' THEN
                      'NOT EXISTS (SELECT FROM search_reports.stale_weeks s WHERE s.subject = %L AND s.account_id = c.account_id AND s.week = c.week)'
                    ELSE
                      '(c.account_id, c.week) NOT IN (SELECT s.account_id, s.week FROM search_reports.stale_weeks s WHERE s.subject = %L)'
                    END, summary.subject))
    END || CASE place WHEN 'server' THEN
      format(' UNION ALL
              SELECT w.account_id, w.week, %s FROM search_reports.live_weeks w
               CROSS JOIN LATERAL search_reports.%I(w.account_id, w.week) c
               WHERE w.subject = %L', columns, 'compute_' || summary.name, summary.subject)
    ELSE '' END;
  END LOOP;
  EXECUTE 'CREATE OR REPLACE VIEW search_reports.stored_weeks AS ' || CASE place WHEN 'moving' THEN
    'SELECT NULL::text AS subject, NULL::bigint AS account_id, NULL::date AS week WHERE false'
  ELSE
    'SELECT DISTINCT ''rankings'' AS subject, account_id, week FROM search_reports.ranking_totals_stored
     UNION ALL SELECT DISTINCT ''answers'', account_id, week FROM search_reports.ai_answers_stored
     UNION ALL SELECT DISTINCT ''citations'', account_id, week FROM search_reports.ai_citation_sites_stored
     UNION ALL SELECT DISTINCT ''sentiments'', account_id, week FROM search_reports.ai_sentiments_stored
     UNION ALL SELECT DISTINCT ''fan_out'', account_id, week FROM search_reports.ai_fan_out_stored'
  END;
  PERFORM set_config('citus.enable_ddl_propagation', propagation, true) WHERE propagation IS NOT NULL;
END
$$;
COMMENT ON FUNCTION search_reports.define_views IS 'Makes the views of summaries that are stored on one server (server), or on the nodes of a Citus cluster (nodes); without rows, while their tables are made anew (moving).';

-- Their columns are read by name, as the results of the functions have the same names.
SELECT search_reports.define_views('moving');

DO $$
DECLARE
  summary record;
BEGIN
  FOR summary IN
    SELECT p.oid::regprocedure AS signature, p.proname AS name, p.prosrc AS body, p.prorows AS rows, obj_description(p.oid, 'pg_proc') AS remark,
           (SELECT string_agg('SET ' || replace(setting, '=', ' = '), ' ') FROM unnest(p.proconfig) AS setting) AS settings,
           (SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum)
              FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.typrelid = a.attrelid
             WHERE t.oid = p.prorettype AND attnum > 0) AS columns
      FROM pg_catalog.pg_proc p
     WHERE p.pronamespace = 'search_reports'::regnamespace AND p.proname LIKE 'compute\_%'
  LOOP
    EXECUTE format('DROP FUNCTION %s', summary.signature);
    EXECUTE format('CREATE FUNCTION search_reports.%I(account bigint, sunday date) RETURNS TABLE (%s)
                    LANGUAGE plpgsql STABLE PARALLEL RESTRICTED COST 100000 ROWS %s %s AS %L',
                   summary.name, summary.columns, summary.rows, summary.settings, E'\n#variable_conflict use_column' || summary.body);
    EXECUTE format('COMMENT ON FUNCTION search_reports.%I IS %L', summary.name, summary.remark);
  END LOOP;
END
$$;

SELECT search_reports.define_views('server');

-- What panels share ----------------------------------------------------------------------------------------------------

-- Not one SELECT each: of what it took into the statement around, Citus would run a part on the nodes, and refuse the rest.
CREATE OR REPLACE FUNCTION search_reports.newest_weeks(of_dataset text, of_account bigint, most integer)
RETURNS TABLE (week date, gap text, note text)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_custom_plan
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT w.week, CASE WHEN w.state = 'summarising' OR NOT w.is_published THEN coalesce(w.reason, w.state) END,
         CASE WHEN w.state <> 'summarising' AND w.is_published THEN w.reason END
    FROM search_reports.weeks w
   WHERE w.dataset = of_dataset AND w.account_id = of_account
   ORDER BY w.week DESC
   LIMIT most;
END
$$;

-- Each search once, however many periods a week has.
CREATE OR REPLACE FUNCTION search_reports.ranking_changes(
  of_account bigint, of_property bigint, of_engine text, of_country text, of_device text, rank text
) RETURNS TABLE (newest date, before date, query text, engine text, country text, device text, volume bigint, own_results integer,
                 place integer, url text, absent_place integer, place_before integer, url_before text, absent_place_before integer)
LANGUAGE plpgsql STABLE ROWS 1000
AS $$
#variable_conflict use_column
DECLARE
  last_week   date;
  week_before date;
BEGIN
  SELECT max(w.week), min(w.week) INTO last_week, week_before
    FROM (SELECT n.week FROM search_reports.newest_weeks('keyword_rankings', of_account, NULL) n WHERE n.gap IS NULL ORDER BY n.week DESC LIMIT 2) w;
  IF last_week - week_before = 7 THEN
    -- Planned for these weeks and filters each time.
    RETURN QUERY EXECUTE $query$
    WITH searches AS MATERIALIZED (
      SELECT DISTINCT ON (s.week, s.search_key) s.week, s.search_key, s.query, s.search_engine, s.country, s.device, s.volume, s.own_results,
             CASE $8 WHEN 'standard' THEN s.own_standard ELSE s.own_true END AS place,
             CASE $8 WHEN 'standard' THEN s.own_url_standard ELSE s.own_url_true END AS url,
             1 + CASE $8 WHEN 'standard' THEN s.deepest_standard ELSE s.deepest_true END AS absent_place
        FROM search_reports.ranking_searches s
       WHERE s.account_id = $3 AND s.week IN ($1, $2)
         AND ($4 IS NULL OR s.web_property_id = $4)
         AND ($5 IS NULL OR s.search_engine = $5)
         AND ($6 IS NULL OR s.country = $6)
         AND ($7 IS NULL OR s.device = $7)
       ORDER BY s.week, s.search_key, s.period_start DESC, s.period_end DESC
    )
    SELECT $1, $2, n.query, n.search_engine, n.country, n.device, n.volume, n.own_results,
           n.place, n.url, n.absent_place, e.place, e.url, e.absent_place
      FROM searches n JOIN searches e ON e.search_key = n.search_key AND e.week = n.week - 7
    $query$ USING last_week, week_before, of_account, of_property, of_engine, of_country, of_device, rank;
  END IF;
END
$$;

-- Its own queries are run where the account is, and the names are asked for here.
CREATE FUNCTION search_reports.web_properties(of_account bigint) RETURNS TABLE (web_property_id bigint, name text)
LANGUAGE plpgsql STABLE ROWS 20
AS $$
#variable_conflict use_column
DECLARE
  known record;
BEGIN
  FOR known IN
    SELECT web_property_id, array_agg(week ORDER BY week DESC) AS weeks
      FROM (SELECT web_property_id, week FROM search_reports.ranking_totals_stored
             WHERE account_id = of_account AND week > (SELECT max(week) FROM search_reports.ranking_totals_stored WHERE account_id = of_account) - 7 * 13
            UNION SELECT web_property_id, week FROM search_reports.ai_answers_stored
             WHERE account_id = of_account AND week > (SELECT max(week) FROM search_reports.ai_answers_stored WHERE account_id = of_account) - 7 * 13
            UNION SELECT web_property_id, week FROM search_reports.ai_citation_totals_stored
             WHERE account_id = of_account AND week > (SELECT max(week) FROM search_reports.ai_citation_totals_stored WHERE account_id = of_account) - 7 * 13
            UNION SELECT web_property_id, week FROM search_reports.ai_sentiments_stored
             WHERE account_id = of_account AND week > (SELECT max(week) FROM search_reports.ai_sentiments_stored WHERE account_id = of_account) - 7 * 13
            UNION SELECT web_property_id, week FROM search_reports.ai_fan_out_stored
             WHERE account_id = of_account AND week > (SELECT max(week) FROM search_reports.ai_fan_out_stored WHERE account_id = of_account) - 7 * 13) AS summaries
     WHERE web_property_id IS NOT NULL
     GROUP BY 1
  LOOP
    web_property_id := known.web_property_id;
    name := search_reports.web_property_name(of_account, known.web_property_id, known.weeks);
    RETURN NEXT;
  END LOOP;
END
$$;
COMMENT ON FUNCTION search_reports.web_properties IS 'Web properties of an account in what is stored of the newest 13 weeks, each by the name in its newest week that tells it; NULL when none does.';

CREATE FUNCTION search_reports.results_within(
  rank text, first_places integer,
  standard_1 numeric, standard_3 numeric, standard_5 numeric, standard_10 numeric, standard_20 numeric,
  true_1 numeric, true_3 numeric, true_5 numeric, true_10 numeric, true_20 numeric
) RETURNS numeric
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE rank WHEN 'standard'
         THEN CASE first_places WHEN 1 THEN standard_1 WHEN 3 THEN standard_3 WHEN 5 THEN standard_5 WHEN 10 THEN standard_10 WHEN 20 THEN standard_20 END
         ELSE CASE first_places WHEN 1 THEN true_1 WHEN 3 THEN true_3 WHEN 5 THEN true_5 WHEN 10 THEN true_10 WHEN 20 THEN true_20 END END
$$;
COMMENT ON FUNCTION search_reports.results_within IS 'Of the figures within the first 1, 3, 5, 10 and 20 places, the one by rank (standard or true) and places.';

-- Citus -----------------------------------------------------------------------------------------------------------------

CREATE FUNCTION search_reports.stored_tables() RETURNS SETOF regclass
LANGUAGE sql STABLE
AS $$
  SELECT oid::regclass FROM pg_catalog.pg_class
   WHERE relnamespace = 'search_reports'::regnamespace AND relkind = 'r' AND relname LIKE '%\_stored' ORDER BY relname
$$;
COMMENT ON FUNCTION search_reports.stored_tables IS 'The tables that store summaries.';

-- A trigger with rows of a statement is none of a distributed table; whoever stores on a cluster stores the totals, too.
CREATE FUNCTION search_reports.distribute(colocate_with regclass) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  stored regclass;
BEGIN
  PERFORM search_reports.define_views('moving');
  DROP TRIGGER IF EXISTS total_inserted ON search_reports.ai_citation_sites_stored;
  DROP TRIGGER IF EXISTS total_deleted ON search_reports.ai_citation_sites_stored;
  FOR stored IN SELECT * FROM search_reports.stored_tables() LOOP
    EXECUTE 'SELECT create_distributed_table($1, ''account_id'', colocate_with => $2::text)
              WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)' USING stored, colocate_with;
  END LOOP;
  PERFORM search_reports.define_views('nodes');
END
$$;
COMMENT ON FUNCTION search_reports.distribute IS 'Distributes what is stored of the summaries over the nodes of a Citus cluster, as a table of schema search is.';

-- Citus makes the tables anew, without their comments.
CREATE FUNCTION search_reports.undistribute() RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  stored   regclass;
  remark   text;
  comments text[];
BEGIN
  PERFORM search_reports.define_views('moving');
  SELECT array_agg(format('COMMENT ON %s %s IS %L', CASE o.type WHEN 'table' THEN 'TABLE' ELSE 'COLUMN' END, o.identity, d.description))
    INTO comments
    FROM pg_catalog.pg_description d CROSS JOIN LATERAL pg_identify_object(d.classoid, d.objoid, d.objsubid) o
   WHERE d.classoid = 'pg_catalog.pg_class'::regclass AND d.objoid IN (SELECT search_reports.stored_tables());
  FOR stored IN SELECT * FROM search_reports.stored_tables() LOOP
    EXECUTE 'SELECT undistribute_table($1) WHERE EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)' USING stored;
  END LOOP;
  FOREACH remark IN ARRAY comments LOOP
    EXECUTE remark;
  END LOOP;
  CREATE TRIGGER total_inserted AFTER INSERT ON search_reports.ai_citation_sites_stored
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION search_reports.total_citations();
  CREATE TRIGGER total_deleted AFTER DELETE ON search_reports.ai_citation_sites_stored
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION search_reports.total_citations();
  PERFORM search_reports.define_views('server');
END
$$;
COMMENT ON FUNCTION search_reports.undistribute IS 'Brings what is stored of the summaries back to the coordinator of a Citus cluster.';

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_reader') THEN
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA search_reports TO searchmill_reader;
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA search_reports TO searchmill_writer;
  END IF;
END
$$;
