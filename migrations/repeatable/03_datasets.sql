-- Derived from the definitions of datasets: which summaries are made from each, and views on the
-- tables of schema search with lists as arrays.
-- If the items of a list cannot be told apart, there is no array.
-- Generated from src/datasets by "npm run generate".

CREATE OR REPLACE FUNCTION search_reports.summarised_datasets() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{keyword_rankings,ai_search_brands,ai_search_citations,ai_search_fan_out,ai_search_sentiments,ai_search_response}'::text[];
COMMENT ON FUNCTION search_reports.summarised_datasets IS 'The datasets that summaries are made from.';

CREATE OR REPLACE FUNCTION search_reports.subjects_of(dataset text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE dataset WHEN 'keyword_rankings' THEN '{rankings}'
                          WHEN 'ai_search_brands' THEN '{answers}'
                          WHEN 'ai_search_citations' THEN '{citations,answers}'
                          WHEN 'ai_search_fan_out' THEN '{fan_out,answers}'
                          WHEN 'ai_search_sentiments' THEN '{sentiments,answers}'
                          WHEN 'ai_search_response' THEN '{answers}'
                          ELSE '{}' END::text[];
COMMENT ON FUNCTION search_reports.subjects_of IS
  'The subjects whose summaries are made from a dataset. src/reports/summaries.ts lists them.';

CREATE OR REPLACE FUNCTION searchmill.columns_of_arrays(dataset text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE dataset
  WHEN 'keyword_rankings' THEN ARRAY[
    'account_id',
    'account_name',
    'organization_id',
    'organization_name',
    'web_property_id',
    'web_property_name',
    'time_period_start',
    'time_period_end',
    'collection_date',
    'search_engine_name',
    'search_engine',
    'search_engine_country_code',
    'search_engine_language_code',
    'locode',
    'device',
    'query',
    'title',
    'normalized_url',
    'root_domain',
    'subdomain',
    'result_type',
    'rank_standard',
    'rank_true',
    'rank_result_type',
    $$CASE WHEN keyword_group_ids ~ '^(\s*|\s*[0-9]{1,18}(\s*,\s*[0-9]{1,18})*\s*)$'
            THEN searchmill.list_items(keyword_group_ids)::bigint[] END AS keyword_group_ids$$,
    $$CASE WHEN cardinality(searchmill.list_items(keyword_group_names)) IN (0, cardinality(searchmill.list_items(keyword_group_ids)))
            THEN searchmill.list_items(keyword_group_names) END AS keyword_group_names$$,
    'average_search_volume',
    'cpc',
    'competition',
    'approximate_search_volume',
    'msv_month']
  WHEN 'highest_ranking_url_per_keyword' THEN ARRAY[
    'account_id',
    'account_name',
    'organization_id',
    'organization_name',
    'web_property_id',
    'web_property_name',
    'time_period_start',
    'time_period_end',
    'collection_date',
    'search_engine_name',
    'search_engine',
    'search_engine_country_code',
    'search_engine_language_code',
    'locode',
    'device',
    'query',
    'title',
    'normalized_url',
    'root_domain',
    'subdomain',
    'result_type',
    'rank_standard',
    'rank_true',
    'rank_result_type',
    $$CASE WHEN keyword_group_ids ~ '^(\s*|\s*[0-9]{1,18}(\s*,\s*[0-9]{1,18})*\s*)$'
            THEN searchmill.list_items(keyword_group_ids)::bigint[] END AS keyword_group_ids$$,
    $$CASE WHEN cardinality(searchmill.list_items(keyword_group_names)) IN (0, cardinality(searchmill.list_items(keyword_group_ids)))
            THEN searchmill.list_items(keyword_group_names) END AS keyword_group_names$$,
    'average_search_volume',
    'cpc',
    'competition',
    'approximate_search_volume',
    'msv_month']
  WHEN 'ai_search_brands' THEN ARRAY[
    'organization_name',
    'organization_id',
    'account_name',
    'account_id',
    'web_property_name',
    'web_property_id',
    'time_period_start',
    'time_period_end',
    'collection_frequency',
    'locode',
    'language',
    'ai_search_engine',
    'topic',
    'prompt',
    'prompt_type',
    'intent',
    'persona',
    'brand_or_product_name',
    'brand_or_product_entity_type',
    'brand_or_product_attribution',
    'ai_response_collected',
    'web_search_triggered',
    $$searchmill.list_items(prompt_group_names) AS prompt_group_names$$]
  WHEN 'ai_search_citations' THEN ARRAY[
    'organization_name',
    'organization_id',
    'account_name',
    'account_id',
    'web_property_name',
    'web_property_id',
    'time_period_start',
    'time_period_end',
    'collection_frequency',
    'locode',
    'language',
    'ai_search_engine',
    'topic',
    'prompt',
    'prompt_type',
    'intent',
    'persona',
    'citation_title',
    'citation_url',
    'citation_domain',
    'citation_web_property_segment',
    'citation_attribution',
    'ai_response_collected',
    'web_search_triggered',
    $$searchmill.list_items(prompt_group_names) AS prompt_group_names$$]
  WHEN 'ai_search_fan_out' THEN ARRAY[
    'organization_name',
    'organization_id',
    'account_name',
    'account_id',
    'web_property_name',
    'web_property_id',
    'time_period_start',
    'time_period_end',
    'collection_frequency',
    'locode',
    'language',
    'ai_search_engine',
    'topic',
    'prompt',
    'prompt_type',
    'intent',
    'persona',
    'fan_out_query',
    'fan_out_query_position',
    'amount_of_searches',
    'web_search',
    'ai_response_received',
    $$searchmill.list_items(prompt_group_names) AS prompt_group_names$$]
  WHEN 'ai_search_sentiments' THEN ARRAY[
    'organization_name',
    'organization_id',
    'account_name',
    'account_id',
    'web_property_name',
    'web_property_id',
    'time_period_start',
    'time_period_end',
    'collection_frequency',
    'locode',
    'language',
    'ai_search_engine',
    'topic',
    'prompt',
    'prompt_type',
    'intent',
    'persona',
    'sentiment_brand',
    'sentiment_value',
    'sentiment_score',
    'sentiment_category',
    'sentiment_snippet',
    'sentiment_source_url',
    'sentiment_source_domain',
    'ai_response_collected',
    'web_search_triggered',
    $$searchmill.list_items(prompt_group_names) AS prompt_group_names$$]
  WHEN 'ai_search_response' THEN ARRAY[
    'organization_name',
    'organization_id',
    'account_name',
    'account_id',
    'web_property_name',
    'web_property_id',
    'collection_frequency',
    'time_period_start',
    'time_period_end',
    'locode',
    'language',
    'ai_search_engine_id',
    'ai_search_engine',
    'topic',
    'prompt',
    'intent',
    'persona',
    'ai_response',
    'collection_date',
    $$searchmill.list_items(prompt_group_names) AS prompt_group_names$$]
END;
COMMENT ON FUNCTION searchmill.columns_of_arrays IS 'What this release selects from a table for the view with its lists as arrays.';

CREATE OR REPLACE FUNCTION searchmill.define_arrays(dataset text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  of_view  text := format('search.%I', dataset || '_arrays');
  columns  text[] := searchmill.columns_of_arrays(dataset);
  all_of   text[] := columns || ARRAY(SELECT quote_ident(p.column_name) FROM searchmill.promotions p
                                       WHERE p.dataset = define_arrays.dataset
                                         AND NOT EXISTS (SELECT FROM unnest(columns) c WHERE c ~ ('(^| )' || p.column_name || '$'))
                                       ORDER BY p.promoted_at, p.column_name);
  named    text[] := ARRAY(SELECT substring(c FROM '([^ ]+)$') FROM unnest(all_of) WITH ORDINALITY AS u(c, at) ORDER BY at);
  remarks  text[] := '{}';
  remark   text;
BEGIN
  -- Postgres only adds columns to a view. Where one is gone, the view is made anew, with its rights and comments.
  IF EXISTS (SELECT FROM pg_attribute a
              WHERE a.attrelid = to_regclass(of_view) AND quote_ident(a.attname) IS DISTINCT FROM named[a.attnum]) THEN
    remarks := searchmill.comments_on(ARRAY[of_view::regclass]) || ARRAY(
      SELECT format('GRANT %s ON %s TO %s%s', g.privilege_type, of_view,
                    CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END,
                    CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) AS g
       WHERE c.oid = of_view::regclass AND g.grantee <> c.relowner);
    EXECUTE format('DROP VIEW %s', of_view);
  END IF;
  -- From Postgres 15 on, the rights and policies of the tables apply to readers of the views.
  EXECUTE format('CREATE OR REPLACE VIEW %s %s AS SELECT %s FROM search.%I', of_view,
                 CASE WHEN current_setting('server_version_num')::integer >= 150000 THEN 'WITH (security_invoker = true)' ELSE '' END,
                 array_to_string(all_of, ', '), dataset);
  FOREACH remark IN ARRAY remarks LOOP
    BEGIN
      EXECUTE remark;
    EXCEPTION WHEN undefined_column THEN
      -- Of the column that is gone.
    END;
  END LOOP;
  FOR remark IN
    SELECT format('COMMENT ON COLUMN %s.%I IS %L', of_view, p.column_name,
                  col_description(format('search.%I', define_arrays.dataset)::regclass, a.attnum))
      FROM searchmill.promotions p
      JOIN pg_attribute a ON a.attrelid = format('search.%I', p.dataset)::regclass AND a.attname = p.column_name AND NOT a.attisdropped
     WHERE p.dataset = define_arrays.dataset
  LOOP
    EXECUTE remark;
  END LOOP;
END
$$;
COMMENT ON FUNCTION searchmill.define_arrays IS 'Makes the view of a table with its lists as arrays, of the columns of this release and '
  'the promoted ones.';

SELECT searchmill.define_arrays('keyword_rankings');
COMMENT ON VIEW search.keyword_rankings_arrays IS
  'search.keyword_rankings with keyword_group_ids and keyword_group_names as arrays.';
COMMENT ON COLUMN search.keyword_rankings_arrays.keyword_group_ids IS
  'Identifiers of keyword groups; NULL if the text is not a list of integers.';
COMMENT ON COLUMN search.keyword_rankings_arrays.keyword_group_names IS
  'Names of keyword groups without blanks around them; NULL if their number differs from that of the '
  'identifiers: then a name contains a comma, and the names cannot be told apart.';

SELECT searchmill.define_arrays('highest_ranking_url_per_keyword');
COMMENT ON VIEW search.highest_ranking_url_per_keyword_arrays IS
  'search.highest_ranking_url_per_keyword with keyword_group_ids and keyword_group_names as arrays.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword_arrays.keyword_group_ids IS
  'Identifiers of keyword groups; NULL if the text is not a list of integers.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword_arrays.keyword_group_names IS
  'Names of keyword groups without blanks around them; NULL if their number differs from that of the '
  'identifiers: then a name contains a comma, and the names cannot be told apart.';

SELECT searchmill.define_arrays('ai_search_brands');
COMMENT ON VIEW search.ai_search_brands_arrays IS
  'search.ai_search_brands with prompt_group_names as an array.';
COMMENT ON COLUMN search.ai_search_brands_arrays.prompt_group_names IS
  'Names of prompt groups without blanks around them. There are no identifiers to compare them with, so a '
  'name that contains a comma becomes several items.';

SELECT searchmill.define_arrays('ai_search_citations');
COMMENT ON VIEW search.ai_search_citations_arrays IS
  'search.ai_search_citations with prompt_group_names as an array.';
COMMENT ON COLUMN search.ai_search_citations_arrays.prompt_group_names IS
  'Names of prompt groups without blanks around them. There are no identifiers to compare them with, so a '
  'name that contains a comma becomes several items.';

SELECT searchmill.define_arrays('ai_search_fan_out');
COMMENT ON VIEW search.ai_search_fan_out_arrays IS
  'search.ai_search_fan_out with prompt_group_names as an array.';
COMMENT ON COLUMN search.ai_search_fan_out_arrays.prompt_group_names IS
  'Names of prompt groups without blanks around them. There are no identifiers to compare them with, so a '
  'name that contains a comma becomes several items.';

SELECT searchmill.define_arrays('ai_search_sentiments');
COMMENT ON VIEW search.ai_search_sentiments_arrays IS
  'search.ai_search_sentiments with prompt_group_names as an array.';
COMMENT ON COLUMN search.ai_search_sentiments_arrays.prompt_group_names IS
  'Names of prompt groups without blanks around them. There are no identifiers to compare them with, so a '
  'name that contains a comma becomes several items.';

SELECT searchmill.define_arrays('ai_search_response');
COMMENT ON VIEW search.ai_search_response_arrays IS
  'search.ai_search_response with prompt_group_names as an array.';
COMMENT ON COLUMN search.ai_search_response_arrays.prompt_group_names IS
  'Names of prompt groups without blanks around them. There are no identifiers to compare them with, so a '
  'name that contains a comma becomes several items.';
