-- The views of summaries, and where their rows are: on this server, or on the nodes of a Citus cluster.
-- On one server a view shows the stored rows of weeks without marks and the computed rows of weeks with live marks. Account and week of computed
-- rows are those of the mark, so that a reader's filters choose which weeks are computed. Readers have no right to the stored rows; the views have
-- it, and choose the accounts of the login (05_readers.sql). Each of the two parts does so by itself, because Postgres does not treat a view with
-- a UNION as a barrier.
-- On a cluster a view leaves marked weeks out until they are stored: to combine them with computed rows, Citus would bring the rows of all accounts
-- to the coordinator. Citus reads the nodes with the rights of the reader, so readers are granted them there, except logins of searchmill_account.
-- Functions that compute summaries return columns, not the row types of the tables that store them: Citus does not distribute a table if a view
-- on it calls a function that returns its rows.

-- NOT IN hashes the marked weeks once, where a join would look through them for each row. It is also the only form in which Citus sends a list of
-- them to the nodes. Views stay on the coordinator.
CREATE OR REPLACE FUNCTION search_reports.define_views(place text) RETURNS void
LANGUAGE plpgsql SET client_min_messages = error SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  summary record;
  columns text;
  nothing text;
  -- NULL without Citus. An owner who is no superuser may not name this setting in the SET clauses of the function.
  propagation text := current_setting('citus.enable_ddl_propagation', true);
BEGIN
  PERFORM set_config('citus.enable_ddl_propagation', 'off', true) WHERE propagation IS NOT NULL;
  EXECUTE format('CREATE OR REPLACE FUNCTION search_reports.reads_marked_weeks() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE RETURN %L::boolean',
                 place = 'server');
  FOR summary IN
    SELECT name, subject, meaning FROM (VALUES
      ('search_facts', 'rankings', 'Facts of tracked searches: one row per search, period and week, with its volume, groups, cut, best own results and the places that we hold.'),
      ('search_sites', 'rankings', 'One row per site: how many of the first places it holds, for market shares.'),
      ('ranking_totals', 'rankings', 'Tracked searches by the best place of their own results, and what market shares are divided by.'),
      ('ranking_groups', 'rankings', 'Tracked searches by keyword group, and those with an own result among the first places.'),
      ('ranking_pages', 'rankings', 'One row per own page that ranks.'),
      ('ai_names', 'answers', 'Brands that rows of the week name, and whether these attribute them to You.'),
      ('prompt_facts', 'answers', 'Facts of tracked prompts: one row per tracked prompt and week, with answers, those that name or cite us, citations and sentiments.'),
      ('ai_answers', 'answers', 'Collected answers of assistants, and those that name a brand of ours.'),
      ('ai_spellings', 'answers', 'How datasets of AI search spell engines, places and languages, and how many of their rows meet when answers and brands are joined.'),
      ('ai_citation_sites', 'citations', 'One row per cited site.'),
      ('ai_citation_totals', 'citations', 'Citations by topic and attribution, all sites together.'),
      ('ai_cited_pages', 'citations', 'One row per cited page.'),
      ('ai_sentiments', 'sentiments', 'Mentions of brands by sentiment.'),
      ('ai_fan_out', 'fan_out', 'One row per query that assistants searched for before they answered.')) AS known (name, subject, meaning)
  LOOP
    SELECT string_agg('c.' || quote_ident(attname), ', ' ORDER BY attnum) FILTER (WHERE attnum > 2),
           string_agg(format('NULL::%s AS %I', format_type(atttypid, atttypmod), attname), ', ' ORDER BY attnum)
      INTO columns, nothing
      FROM pg_catalog.pg_attribute
     WHERE attrelid = format('search_stored.%I', summary.name)::regclass AND attnum > 0 AND NOT attisdropped;
    IF place = 'server' THEN
      EXECUTE format('CREATE OR REPLACE VIEW search_stored.%1$I WITH (security_barrier) AS
                      SELECT c.account_id, c.week, %2$s FROM search_stored.%3$I c
                       WHERE (c.account_id, c.week) NOT IN (SELECT s.account_id, s.week FROM searchmill.stale_weeks s WHERE s.subject = %4$L)
                         AND ((SELECT search_reports.sees_all_accounts()) OR c.account_id IN (SELECT account_id FROM search_reports.accounts_of_login))',
                     'current_' || summary.name, columns, summary.name, summary.subject);
      EXECUTE format('COMMENT ON VIEW search_stored.%I IS %L', 'current_' || summary.name,
                     format('The rows of search_stored.%s that are not out of date, of the accounts that the login sees.', summary.name));
    END IF;
    EXECUTE format('CREATE OR REPLACE VIEW search_reports.%I AS ', summary.name) || CASE place
      WHEN 'moving' THEN format('SELECT %s WHERE false', nothing)
      WHEN 'nodes' THEN
        format('SELECT c.account_id, c.week, %s FROM search_stored.%I c
                 WHERE (c.account_id, c.week) NOT IN (SELECT s.account_id, s.week FROM searchmill.stale_weeks s WHERE s.subject = %L)',
               columns, summary.name, summary.subject)
      ELSE
        format('SELECT c.account_id, c.week, %1$s FROM search_stored.%2$I c
                 UNION ALL
                SELECT w.account_id, w.week, %1$s FROM search_reports.live_weeks w
                 CROSS JOIN LATERAL search_reports.%3$I(w.account_id, w.week) c
                 WHERE w.subject = %4$L',
               columns, 'current_' || summary.name, 'compute_' || summary.name, summary.subject)
      END;
    EXECUTE format('COMMENT ON VIEW search_reports.%I IS %L', summary.name, summary.meaning);
    IF place <> 'server' THEN
      EXECUTE format('DROP VIEW IF EXISTS search_stored.%I', 'current_' || summary.name);
    END IF;
  END LOOP;
  EXECUTE 'CREATE OR REPLACE VIEW search_stored.stored_weeks AS ' || CASE place WHEN 'moving' THEN
    'SELECT NULL::text AS subject, NULL::bigint AS account_id, NULL::date AS week WHERE false'
  ELSE
    'SELECT DISTINCT ''rankings'' AS subject, account_id, week FROM search_stored.ranking_totals
     UNION ALL SELECT ''answers'', account_id, week FROM (SELECT account_id, week FROM search_stored.ai_answers
                                                          UNION SELECT account_id, week FROM search_stored.ai_spellings
                                                          -- Weeks of facts only.
                                                          UNION SELECT account_id, week FROM search_stored.ai_names
                                                          UNION SELECT account_id, week FROM search_stored.ai_sentiments
                                                          UNION SELECT account_id, week FROM search_stored.ai_fan_out) AS answers
     UNION ALL SELECT DISTINCT ''citations'', account_id, week FROM search_stored.ai_citation_sites
     UNION ALL SELECT DISTINCT ''sentiments'', account_id, week FROM search_stored.ai_sentiments
     UNION ALL SELECT DISTINCT ''fan_out'', account_id, week FROM search_stored.ai_fan_out'
  END;
  PERFORM set_config('citus.enable_ddl_propagation', propagation, true) WHERE propagation IS NOT NULL;
END
$$;
COMMENT ON FUNCTION search_reports.define_views IS 'Makes the views of summaries that are stored on one server (server) or on the nodes of a Citus cluster (nodes); without rows while their tables are moved (moving).';

CREATE OR REPLACE FUNCTION search_reports.stored_tables() RETURNS SETOF regclass
LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT oid::regclass FROM pg_catalog.pg_class
   WHERE relnamespace = 'search_stored'::regnamespace AND relkind = 'r' ORDER BY relname;
END;
COMMENT ON FUNCTION search_reports.stored_tables IS 'The tables that store summaries.';

CREATE OR REPLACE FUNCTION search_reports.distribute(colocate_with regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  stored  regclass;
  reading name;
BEGIN
  PERFORM search_reports.define_views('moving');
  FOR reading IN SELECT rolname FROM pg_catalog.pg_roles WHERE rolname IN ('searchmill_reader', 'searchmill_analyst') LOOP
    EXECUTE format('GRANT USAGE ON SCHEMA search_stored TO %I', reading);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA search_stored TO %I', reading);
  END LOOP;
  FOR stored IN SELECT * FROM search_reports.stored_tables() LOOP
    EXECUTE 'SELECT create_distributed_table($1, ''account_id'', colocate_with => $2::text)
              WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)' USING stored, colocate_with;
  END LOOP;
  PERFORM search_reports.define_views('nodes');
END
$$;
COMMENT ON FUNCTION search_reports.distribute IS 'Distributes the stored summaries over the nodes of a Citus cluster, as a table of schema search is distributed.';

-- Citus creates the tables again, without their comments.
CREATE OR REPLACE FUNCTION search_reports.undistribute() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  stored   regclass;
  reading  name;
  remark   text;
  comments text[] := searchmill.comments_on(ARRAY(SELECT search_reports.stored_tables()));
BEGIN
  PERFORM search_reports.define_views('moving');
  FOR stored IN SELECT * FROM search_reports.stored_tables() LOOP
    EXECUTE 'SELECT undistribute_table($1) WHERE EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1)' USING stored;
  END LOOP;
  FOREACH remark IN ARRAY comments LOOP
    EXECUTE remark;
  END LOOP;
  FOR reading IN SELECT rolname FROM pg_catalog.pg_roles WHERE rolname IN ('searchmill_reader', 'searchmill_analyst') LOOP
    EXECUTE format('REVOKE SELECT ON ALL TABLES IN SCHEMA search_stored FROM %I', reading);
    EXECUTE format('REVOKE USAGE ON SCHEMA search_stored FROM %I', reading);
  END LOOP;
  PERFORM search_reports.define_views('server');
END
$$;
COMMENT ON FUNCTION search_reports.undistribute IS 'Brings the stored summaries back to the coordinator of a Citus cluster.';

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

COMMENT ON VIEW search_stored.stored_weeks IS 'Weeks that the stored summaries have rows of.';
COMMENT ON COLUMN search_stored.stored_weeks.subject IS 'Which summaries.';

-- The name that 1.0.0 gave to these facts.
CREATE OR REPLACE VIEW search_reports.ranking_searches AS
SELECT account_id, week, search_key, period_start, period_end, web_property_id, search_engine, country, language, locode, device, query, keyword_groups, volume,
       results, deepest_standard, deepest_true, own_standard, own_true, own_url_standard, own_url_true, own_results
  FROM search_reports.search_facts;
COMMENT ON VIEW search_reports.ranking_searches IS 'The columns of search_reports.search_facts that 1.0.0 had under this name.';

CREATE OR REPLACE VIEW search_reports.ranking_sites AS
SELECT account_id, week, web_property_id, search_engine, country, device, site, is_own, round(standard_1)::integer AS standard_1,
       round(standard_3)::integer AS standard_3, round(standard_5)::integer AS standard_5, round(standard_10)::integer AS standard_10,
       round(standard_20)::integer AS standard_20, round(true_1)::integer AS true_1, round(true_3)::integer AS true_3, round(true_5)::integer AS true_5,
       round(true_10)::integer AS true_10, round(true_20)::integer AS true_20, standard_1_volume, standard_3_volume, standard_5_volume, standard_10_volume,
       standard_20_volume, true_1_volume, true_3_volume, true_5_volume, true_10_volume, true_20_volume
  FROM search_reports.search_sites;
COMMENT ON VIEW search_reports.ranking_sites IS 'The columns of search_reports.search_sites that 1.0.0 had under this name, in whole places.';

CREATE OR REPLACE VIEW search_reports.own_brand_names WITH (security_barrier) AS
SELECT DISTINCT n.account_id, n.name FROM search_stored.ai_names n
 WHERE n.is_own AND ((SELECT search_reports.sees_all_accounts()) OR n.account_id IN (SELECT account_id FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.own_brand_names IS 'Names of brands and products that rows of any week attribute to You, in lower case.';
COMMENT ON COLUMN search_reports.own_brand_names.name IS 'Brand or product, in lower case.';
