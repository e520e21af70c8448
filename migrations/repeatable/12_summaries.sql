-- The views of summaries, and where their rows are: on this server, or on the nodes of a Citus cluster.
-- On one server a view shows the stored rows of weeks without marks and the computed rows of weeks with live marks. Account and week of
-- computed rows are those of the mark, so that a reader's filters choose which weeks are computed. Readers have no right to the stored
-- rows; the views have it, and choose the accounts of the login (05_readers.sql). Each of the two parts does so by itself, because Postgres
-- does not treat a view with a UNION as a barrier. On a cluster a view leaves marked weeks out until they are stored: to combine them with
-- computed rows, Citus would bring the rows of all accounts to the coordinator. Citus reads the nodes with the rights of the reader, so
-- readers are granted them there, except logins of searchmill_account. Functions that compute summaries return columns, not the row types
-- of the tables that store them: Citus does not distribute a table if a view on it calls a function that returns its rows.

-- NOT IN hashes the marked weeks once, where a join would look through them for each row. It is also the only form in which Citus sends a
-- list of them to the nodes. Views stay on the coordinator.
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
  EXECUTE format('CREATE OR REPLACE FUNCTION search_reports.reads_marked_weeks() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
                  RETURN %s',
                 CASE place WHEN 'server' THEN 'has_table_privilege(''search.keyword_rankings'', ''SELECT'')' ELSE 'false' END);
  EXECUTE format('CREATE OR REPLACE FUNCTION search_reports.is_inlined() RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
                  RETURN %L::boolean', place = 'server');
  FOR summary IN
    SELECT name, subject, meaning FROM (VALUES
      ('search_facts', 'rankings', 'Facts of tracked searches: one row per search, period and week, with its volume, groups, cut, best own '
       'results and the places that we hold.'),
      ('search_sites', 'rankings', 'One row per site: how many of the first places it holds, for market shares.'),
      ('search_values', 'rankings', 'What the tracked searches of a week can be chosen by: values of a variable of boards, and whether '
       'volumes are known.'),
      ('ranking_pages', 'rankings', 'One row per own page that ranks.'),
      ('ai_names', 'answers', 'Brands that rows of the week name, and whether these attribute them to You.'),
      ('prompt_facts', 'answers', 'Facts of tracked prompts: one row per tracked prompt and week, with answers, those that name or cite '
       'us, citations and sentiments.'),
      ('prompt_sums', 'answers', 'Sums of facts of tracked prompts that have the same columns, over places, languages and frequencies, by '
       'assistant and over all of them.'),
      ('prompt_values', 'answers', 'What the tracked prompts of a week can be chosen by: values of a variable of boards.'),
      ('ai_spellings', 'answers', 'How datasets of AI search spell engines, places and languages, and how many of their rows meet when '
       'answers and brands are joined.'),
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
                       WHERE (c.account_id, c.week) NOT IN (SELECT s.account_id, s.week FROM searchmill.stale_weeks s
                                                            WHERE s.subject = %4$L)
                         AND ((SELECT search_reports.sees_all_accounts()) OR c.account_id IN (SELECT account_id
                             FROM search_reports.accounts_of_login))',
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
    'SELECT DISTINCT ''rankings'' AS subject, account_id, week FROM search_stored.search_values
     UNION ALL SELECT ''answers'', account_id, week FROM (SELECT account_id, week FROM search_stored.prompt_values
                                                          UNION SELECT account_id, week FROM search_stored.ai_spellings
                                                          UNION SELECT account_id, week FROM search_stored.ai_names) AS answers
     UNION ALL SELECT DISTINCT ''citations'', account_id, week FROM search_stored.ai_cited_pages
     UNION ALL SELECT DISTINCT ''sentiments'', account_id, week FROM search_stored.ai_sentiments
     UNION ALL SELECT DISTINCT ''fan_out'', account_id, week FROM search_stored.ai_fan_out'
  END;
  PERFORM set_config('citus.enable_ddl_propagation', propagation, true) WHERE propagation IS NOT NULL;
END
$$;
COMMENT ON FUNCTION search_reports.define_views IS 'Makes the views of summaries that are stored on one server (server) or on the nodes of '
  'a Citus cluster (nodes); without rows while their tables are moved (moving).';

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
COMMENT ON FUNCTION search_reports.distribute IS 'Distributes the stored summaries over the nodes of a Citus cluster, as a table of schema '
  'search is distributed.';

-- Citus creates the tables again, and the views that read them, without their comments.
CREATE OR REPLACE FUNCTION search_reports.undistribute() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  stored   regclass;
  reading  name;
  remark   text;
  comments text[] := searchmill.comments_on(ARRAY(
    SELECT search_reports.stored_tables()
    UNION ALL
    SELECT to_regclass(name) FROM unnest('{search_reports.own_brand_names,search_reports.told_kinds}'::text[]) AS name));
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
    EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition p JOIN search_reports.stored_tables() AS s ON s = p.logicalrelid)'
       INTO is_distributed;
  END IF;
  PERFORM search_reports.define_views(CASE WHEN is_distributed THEN 'nodes' ELSE 'server' END);
END
$$;

COMMENT ON FUNCTION search_reports.is_inlined IS 'Whether statements read summaries from the tables of this server, so that functions '
  'that read them may become a part of the statements.';
COMMENT ON VIEW search_stored.stored_weeks IS 'Weeks that the stored summaries have rows of.';
COMMENT ON COLUMN search_stored.stored_weeks.subject IS 'Which summaries.';

CREATE OR REPLACE VIEW search_reports.own_brand_names WITH (security_barrier) AS
SELECT DISTINCT n.account_id, n.name FROM search_stored.ai_names n
 WHERE n.is_own AND ((SELECT search_reports.sees_all_accounts()) OR n.account_id IN (SELECT account_id
     FROM search_reports.accounts_of_login));
COMMENT ON VIEW search_reports.own_brand_names IS 'Names of brands and products that rows of any week attribute to You, in lower case.';
COMMENT ON COLUMN search_reports.own_brand_names.name IS 'Brand or product, in lower case.';

-- Sums that 1.0.0 stored, under the names and with the columns that it gave them, so that what others have built on them goes on. They are
-- sums over facts now. Columns that served its intervals and comparisons are NULL.
CREATE OR REPLACE VIEW search_reports.ranking_totals AS
SELECT account_id, week, web_property_id, search_engine, country, device, count(*)::integer AS searches,
       count(volume)::integer AS searches_with_volume, coalesce(sum(volume), 0) AS volume,
       (count(*) FILTER (WHERE own_standard <= 1))::integer AS standard_1,
       (count(*) FILTER (WHERE own_standard BETWEEN 2 AND 3))::integer AS standard_2_3,
       (count(*) FILTER (WHERE own_standard BETWEEN 4 AND 10))::integer AS standard_4_10,
       (count(*) FILTER (WHERE own_standard BETWEEN 11 AND 20))::integer AS standard_11_20,
       (count(*) FILTER (WHERE own_standard > 20))::integer AS standard_beyond,
       (count(*) FILTER (WHERE own_standard IS NULL))::integer AS standard_absent,
       (count(*) FILTER (WHERE own_true <= 1))::integer AS true_1,
       (count(*) FILTER (WHERE own_true BETWEEN 2 AND 3))::integer AS true_2_3,
       (count(*) FILTER (WHERE own_true BETWEEN 4 AND 10))::integer AS true_4_10,
       (count(*) FILTER (WHERE own_true BETWEEN 11 AND 20))::integer AS true_11_20,
       (count(*) FILTER (WHERE own_true > 20))::integer AS true_beyond,
       (count(*) FILTER (WHERE own_true IS NULL))::integer AS true_absent,
       coalesce(sum(volume) FILTER (WHERE own_standard <= 1), 0) AS standard_1_volume,
       coalesce(sum(volume) FILTER (WHERE own_standard BETWEEN 2 AND 3), 0) AS standard_2_3_volume,
       coalesce(sum(volume) FILTER (WHERE own_standard BETWEEN 4 AND 10), 0) AS standard_4_10_volume,
       coalesce(sum(volume) FILTER (WHERE own_standard BETWEEN 11 AND 20), 0) AS standard_11_20_volume,
       coalesce(sum(volume) FILTER (WHERE own_standard > 20), 0) AS standard_beyond_volume,
       coalesce(sum(volume) FILTER (WHERE own_standard IS NULL), 0) AS standard_absent_volume,
       coalesce(sum(volume) FILTER (WHERE own_true <= 1), 0) AS true_1_volume,
       coalesce(sum(volume) FILTER (WHERE own_true BETWEEN 2 AND 3), 0) AS true_2_3_volume,
       coalesce(sum(volume) FILTER (WHERE own_true BETWEEN 4 AND 10), 0) AS true_4_10_volume,
       coalesce(sum(volume) FILTER (WHERE own_true BETWEEN 11 AND 20), 0) AS true_11_20_volume,
       coalesce(sum(volume) FILTER (WHERE own_true > 20), 0) AS true_beyond_volume,
       coalesce(sum(volume) FILTER (WHERE own_true IS NULL), 0) AS true_absent_volume,
       coalesce(sum(own_standard), 0)::bigint AS standard_place_sum, coalesce(sum(own_true), 0)::bigint AS true_place_sum,
       NULL::numeric AS digest
  FROM search_reports.search_facts
 GROUP BY account_id, week, web_property_id, search_engine, country, device;
COMMENT ON VIEW search_reports.ranking_totals IS 'Tracked searches by the best place of their own results: sums over '
  'search_reports.search_facts.';

CREATE OR REPLACE VIEW search_reports.ranking_searches AS
SELECT account_id, week, search_key, period_start, period_end, web_property_id, search_engine, country, language, locode, device, query,
       keyword_groups, volume,
       results, deepest_standard, deepest_true, own_standard, own_true, own_url_standard, own_url_true, own_results
  FROM search_reports.search_facts;
COMMENT ON VIEW search_reports.ranking_searches IS 'The columns of search_reports.search_facts that 1.0.0 had under this name.';

CREATE OR REPLACE VIEW search_reports.ranking_sites AS
SELECT account_id, week, web_property_id, search_engine, country, device, site, is_own, round(standard_1)::integer AS standard_1,
       round(standard_3)::integer AS standard_3, round(standard_5)::integer AS standard_5, round(standard_10)::integer AS standard_10,
       round(standard_20)::integer AS standard_20, round(true_1)::integer AS true_1, round(true_3)::integer AS true_3,
       round(true_5)::integer AS true_5,
       round(true_10)::integer AS true_10, round(true_20)::integer AS true_20, standard_1_volume, standard_3_volume, standard_5_volume,
       standard_10_volume,
       standard_20_volume, true_1_volume, true_3_volume, true_5_volume, true_10_volume, true_20_volume
  FROM search_reports.search_sites;
COMMENT ON VIEW search_reports.ranking_sites IS 'The columns of search_reports.search_sites that 1.0.0 had under this name, in whole '
  'places.';

CREATE OR REPLACE VIEW search_reports.ranking_groups AS
SELECT account_id, week, web_property_id, search_engine, country, device, g.keyword_group, count(*)::integer AS searches,
       coalesce(sum(volume), 0) AS volume,
       (count(*) FILTER (WHERE own_standard <= 3))::integer AS standard_3,
       (count(*) FILTER (WHERE own_standard <= 10))::integer AS standard_10,
       (count(*) FILTER (WHERE own_true <= 3))::integer AS true_3, (count(*) FILTER (WHERE own_true <= 10))::integer AS true_10,
       coalesce(sum(volume) FILTER (WHERE own_standard <= 3), 0) AS standard_3_volume,
       coalesce(sum(volume) FILTER (WHERE own_standard <= 10), 0) AS standard_10_volume,
       coalesce(sum(volume) FILTER (WHERE own_true <= 3), 0) AS true_3_volume,
       coalesce(sum(volume) FILTER (WHERE own_true <= 10), 0) AS true_10_volume,
       NULL::numeric AS volume_squared, NULL::numeric AS standard_3_squared, NULL::numeric AS true_3_squared, NULL::numeric AS digest
  FROM search_reports.search_facts CROSS JOIN LATERAL (SELECT DISTINCT unnest(keyword_groups) AS keyword_group) AS g
 GROUP BY account_id, week, web_property_id, search_engine, country, device, g.keyword_group;
COMMENT ON VIEW search_reports.ranking_groups IS 'Tracked searches by keyword group, and those with an own result among the first places: '
  'sums over search_reports.search_facts.';

CREATE OR REPLACE VIEW search_reports.ai_answers AS
SELECT account_id, week, web_property_id, assistant, country, prompt_type, topic, sum(answers)::integer AS answers,
       CASE WHEN bool_and(naming IS NOT NULL) THEN sum(naming)::integer END AS naming_answers,
       NULL::bigint AS answers_squared, NULL::bigint AS answers_by_naming, NULL::bigint AS naming_squared, count(*)::integer AS prompts,
       NULL::numeric AS digest, sum(unmet_brands)::integer AS lost
  FROM search_reports.prompt_facts
 WHERE answers > 0
 GROUP BY account_id, week, web_property_id, assistant, country, prompt_type, topic;
COMMENT ON VIEW search_reports.ai_answers IS 'Collected answers of assistants, and those that name a brand of ours (NULL where that is '
  'unknown): sums over search_reports.prompt_facts.';

CREATE OR REPLACE VIEW search_reports.ai_citation_sites AS
SELECT account_id, week, web_property_id, assistant, country, prompt_type, topic, site, attribution, sum(citations)::integer AS citations,
       NULL::bigint AS citations_by_all, NULL::bigint AS citations_squared
  FROM search_reports.ai_cited_pages
 GROUP BY account_id, week, web_property_id, assistant, country, prompt_type, topic, site, attribution;
COMMENT ON VIEW search_reports.ai_citation_sites IS 'Citations by site: sums over search_reports.ai_cited_pages.';

CREATE OR REPLACE VIEW search_reports.ai_citation_totals AS
SELECT account_id, week, web_property_id, assistant, country, prompt_type, topic, attribution, sum(citations)::integer AS citations,
       NULL::bigint AS citations_by_all, NULL::bigint AS citations_squared
  FROM search_reports.ai_cited_pages
 GROUP BY account_id, week, web_property_id, assistant, country, prompt_type, topic, attribution;
COMMENT ON VIEW search_reports.ai_citation_totals IS 'Citations by topic and attribution, all sites together: sums over '
  'search_reports.ai_cited_pages.';

DO $$
DECLARE
  described record;
BEGIN
  FOR described IN
    SELECT 'ranking_totals' AS name, format('%s_%s%s', rank, class, unit) AS column,
           format('%s whose best own result by %s rank is %s.', CASE unit WHEN '' THEN 'Searches'
                  ELSE 'Sum of the volumes of searches' END, rank, place)
           AS description
      FROM unnest(ARRAY['standard', 'true']) AS rank CROSS JOIN unnest(ARRAY['', '_volume']) AS unit
     CROSS JOIN (VALUES ('1', 'on place 1'), ('2_3', 'on places 2 and 3'), ('4_10', 'on places 4 to 10'), ('11_20', 'on places 11 to 20'),
                        ('beyond', 'beyond place 20'), ('absent', 'not there')) AS classes (class, place)
     UNION ALL
    SELECT 'ranking_groups', format('%s_%s%s', rank, n, unit),
           format('%s with an own result within the first %s places by %s rank.',
                  CASE unit WHEN '' THEN 'Searches' ELSE 'Sum of the volumes of searches' END, n, rank)
      FROM unnest(ARRAY['standard', 'true']) AS rank CROSS JOIN unnest(ARRAY['', '_volume']) AS unit CROSS JOIN unnest(ARRAY[3, 10]) AS n
     UNION ALL
    SELECT * FROM (VALUES
      ('ranking_totals', 'searches', 'Tracked searches.'), ('ranking_totals', 'searches_with_volume',
                                                            'Of them, those whose volume is known.'),
      ('ranking_totals', 'volume', 'Sum of their volumes.'),
      ('ranking_totals', 'standard_place_sum', 'Sum of the best own places by standard rank, over searches that have one.'),
      ('ranking_totals', 'true_place_sum', 'Sum of the best own places by true rank, over searches that have one.'),
      ('ranking_groups', 'keyword_group', 'Name of the keyword group; a search counts in each of its groups.'),
      ('ranking_groups', 'searches', 'Tracked searches.'), ('ranking_groups', 'volume', 'Sum of their volumes.'),
      ('ai_answers', 'answers', 'Answers collected.'),
      ('ai_answers', 'naming_answers', 'Of them, those that name a brand of ours; NULL where that is unknown of any.'),
      ('ai_answers', 'prompts', 'Tracked prompts that were answered.'), ('ai_answers', 'lost',
                                                                         'Rows of brands of ours that met no answer.'),
      ('ai_citation_totals', 'attribution', 'Attribution of the citations in lower case.')) AS others
     UNION ALL
    SELECT name, old, 'NULL: served a method of 1.0.0.'
      FROM (VALUES ('ranking_totals', '{digest}'), ('ranking_groups', '{volume_squared,standard_3_squared,true_3_squared,digest}'),
                   ('ai_answers', '{answers_squared,answers_by_naming,naming_squared,digest}'),
                   ('ai_citation_sites', '{citations_by_all,citations_squared}'), ('ai_citation_totals',
                                                                                   '{citations_by_all,citations_squared}'))
           AS former (name, columns) CROSS JOIN unnest(columns::text[]) AS old
  LOOP
    EXECUTE format('COMMENT ON COLUMN search_reports.%I.%I IS %L', described.name, described.column, described.description);
  END LOOP;
END
$$;
