-- The views of summaries, and where their rows are: on this server, or on the nodes of a Citus cluster. On one server a view shows the stored
-- rows of weeks without marks, and the computed ones of weeks with live marks; account and week of the computed ones are the mark's, so that a
-- reader's filters choose the weeks that are computed. On a cluster a view leaves marked weeks out until they are stored: Citus would bring
-- all accounts' rows to the coordinator to put computed ones beside them.
-- Functions that compute summaries return columns, not the rows of the tables that store them: Citus takes no table whose rows a function
-- returns that a view on it calls.

-- Citus sends a list of the marked weeks to the nodes; it can for NOT IN alone. Views stay on the coordinator.
CREATE OR REPLACE FUNCTION search_reports.define_views(place text) RETURNS void
LANGUAGE plpgsql SET client_min_messages = error SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  summary record;
  columns text;
  nothing text;
  -- Whose policies on tables hold: those of who asks, from Postgres 15 on.
  invoker text := CASE WHEN current_setting('server_version_num')::integer >= 150000 THEN 'WITH (security_invoker = true)' ELSE '' END;
  -- NULL where there is no Citus. An owner without superuser may not name it in the function's settings there.
  propagation text := current_setting('citus.enable_ddl_propagation', true);
BEGIN
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true) WHERE propagation IS NOT NULL;
  EXECUTE format('CREATE OR REPLACE FUNCTION search_reports.reads_marked_weeks() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE RETURN %L::boolean',
                 place = 'server');
  FOR summary IN
    SELECT name, subject FROM (VALUES
      ('ranking_searches', 'rankings'), ('ranking_sites', 'rankings'), ('ranking_totals', 'rankings'), ('ranking_groups', 'rankings'),
      ('ranking_pages', 'rankings'), ('ai_answers', 'answers'), ('ai_spellings', 'answers'), ('ai_citation_sites', 'citations'), ('ai_citation_totals', 'citations'),
      ('ai_cited_pages', 'citations'), ('ai_sentiments', 'sentiments'), ('ai_fan_out', 'fan_out')) AS known (name, subject)
  LOOP
    SELECT string_agg('c.' || quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attnum > 2),
           string_agg(format('NULL::%s AS %I', format_type(atttypid, atttypmod), attname), ', ' ORDER BY attnum)
      INTO columns, nothing
      FROM pg_catalog.pg_attribute
     WHERE attrelid = format('search_reports.%I', summary.name || '_stored')::regclass AND attnum > 0 AND NOT attisdropped;
    EXECUTE format('CREATE OR REPLACE VIEW search_reports.%I %s AS ', summary.name, invoker) || CASE place WHEN 'moving' THEN
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

CREATE OR REPLACE FUNCTION search_reports.stored_tables() RETURNS SETOF regclass
LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT oid::regclass FROM pg_catalog.pg_class
   WHERE relnamespace = 'search_reports'::regnamespace AND relkind = 'r' AND relname LIKE '%\_stored' ORDER BY relname;
END;
COMMENT ON FUNCTION search_reports.stored_tables IS 'The tables that store summaries.';

CREATE OR REPLACE FUNCTION search_reports.distribute(colocate_with regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  stored regclass;
BEGIN
  PERFORM search_reports.define_views('moving');
  FOR stored IN SELECT * FROM search_reports.stored_tables() LOOP
    EXECUTE 'SELECT create_distributed_table($1, ''account_id'', colocate_with => $2::text)
              WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)' USING stored, colocate_with;
  END LOOP;
  PERFORM search_reports.define_views('nodes');
END
$$;
COMMENT ON FUNCTION search_reports.distribute IS 'Distributes what is stored of the summaries over the nodes of a Citus cluster, as a table of schema search is.';

-- Citus makes the tables anew, without their comments.
CREATE OR REPLACE FUNCTION search_reports.undistribute() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
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
  PERFORM search_reports.define_views('server');
END
$$;
COMMENT ON FUNCTION search_reports.undistribute IS 'Brings what is stored of the summaries back to the coordinator of a Citus cluster.';

DO $$
DECLARE
  is_distributed boolean := false;
BEGIN
  IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
    EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition JOIN search_reports.stored_tables() AS stored ON stored = logicalrelid)' INTO is_distributed;
  END IF;
  PERFORM search_reports.define_views(CASE WHEN is_distributed THEN 'nodes' ELSE 'server' END);
END
$$;

COMMENT ON VIEW search_reports.ranking_searches IS 'One row per tracked search, period and week: its volume, its groups and the best own result.';
COMMENT ON VIEW search_reports.ranking_sites IS 'One row per site: how often it is among the first places, for market shares.';
COMMENT ON VIEW search_reports.ranking_totals IS 'Tracked searches by the best place of their own results, and what market shares are divided by.';
COMMENT ON VIEW search_reports.ranking_groups IS 'Tracked searches by keyword group, and those with an own result among the first places.';
COMMENT ON VIEW search_reports.ranking_pages IS 'One row per own page that ranks.';
COMMENT ON VIEW search_reports.ai_answers IS 'Collected answers of assistants, and those that name a brand of ours.';
COMMENT ON VIEW search_reports.ai_spellings IS 'How datasets of AI search spell engines, places and languages, and how many of their rows meet when answers and brands are joined.';
COMMENT ON VIEW search_reports.ai_citation_sites IS 'One row per cited site.';
COMMENT ON VIEW search_reports.ai_citation_totals IS 'Citations by attribution, all sites together.';
COMMENT ON VIEW search_reports.ai_cited_pages IS 'One row per cited page.';
COMMENT ON VIEW search_reports.ai_sentiments IS 'Mentions of brands by sentiment.';
COMMENT ON VIEW search_reports.ai_fan_out IS 'One row per query that assistants searched for before they answered.';
COMMENT ON VIEW search_reports.stored_weeks IS 'Weeks that stored summaries have rows of.';
COMMENT ON COLUMN search_reports.stored_weeks.subject IS 'Which summaries.';
COMMENT ON COLUMN search_reports.stored_weeks.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.stored_weeks.week IS 'Sunday that begins the week.';

-- A column of a view is described as the column that stores it.
DO $$
DECLARE
  stored record;
BEGIN
  FOR stored IN
    SELECT left(c.relname, -length('_stored')) AS view, a.attname AS column, d.description
      FROM search_reports.stored_tables() AS s
      JOIN pg_catalog.pg_class c ON c.oid = s
      JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_catalog.pg_class'::regclass AND d.objsubid = a.attnum
  LOOP
    EXECUTE format('COMMENT ON COLUMN search_reports.%I.%I IS %L', stored.view, stored.column, stored.description);
  END LOOP;
END
$$;
