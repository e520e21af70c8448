-- Row keys, version 2. A day of collection and the intent of a prompt are values, not identity: a row that was collected again is the
-- same row. And the key becomes what Postgres can compute, too: of each identity column "-" for NULL, else the number of its
-- UTF-8 bytes, a colon and its text; the key is the first 128 bits of SHA-256 over all of them, in order.
-- Every row gets its new key. Rows that are equal by it now are numbered, in the order of their other values as publishing numbers
-- them. Loads under way keep the keys they were begun with, and key_version says so: they get new ones before they are published.
-- Guarantees: no row is lost, doubled or changed in anything but _key and _occurrence; an answer that is loaded again changes nothing.
-- Locks: the seven tables against writers, until the transaction ends; readers go on, and see the old keys until then. Each row
-- is written once, so tables and their indexes need twice their space until they are vacuumed.
-- Old processes: must be stopped, since they would publish rows under old keys.
-- Repeating: applied once, by the migration runner, in one transaction; one that is cut leaves everything as it was.

-- Dates are given as YYYY-MM-DD, since a cast to text follows the session's DateStyle.
CREATE FUNCTION searchmill.row_key(VARIADIC identity text[]) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
DECLARE
  value text;
  whole text := '';
BEGIN
  FOREACH value IN ARRAY identity LOOP
    whole := whole || coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value, '-');
  END LOOP;
  RETURN encode(substring(sha256(convert_to(whole, 'UTF8')) FOR 16), 'hex')::uuid;
END
$$;
COMMENT ON FUNCTION searchmill.row_key IS 'The key of a row, version 2, from the texts of its identity columns in order; dates as YYYY-MM-DD.';

ALTER TABLE searchmill.executions ADD COLUMN key_version integer NOT NULL DEFAULT 1;
COMMENT ON COLUMN searchmill.executions.key_version IS 'Version of the keys that its staged rows have, set by the first page; rows of another version get new keys before they are published.';

LOCK TABLE search.keyword_rankings, search.highest_ranking_url_per_keyword, search.ai_search_brands, search.ai_search_citations,
           search.ai_search_fan_out, search.ai_search_sentiments, search.ai_search_response IN SHARE ROW EXCLUSIVE MODE;

DO $$
DECLARE
  dataset record;
  part    record;
  texts   text;
  others  text;
BEGIN
  PERFORM set_config('work_mem', greatest(65536, (SELECT setting::integer FROM pg_settings WHERE name = 'work_mem'))::text || 'kB', true);
  FOR dataset IN
    SELECT format('search.%I', name)::regclass AS parent, string_to_array(identity, ' ') AS identity
      FROM (VALUES
        ('keyword_rankings', 'account_id web_property_id time_period_start time_period_end search_engine search_engine_country_code'
                             ' search_engine_language_code locode device query normalized_url result_type'),
        ('highest_ranking_url_per_keyword', 'account_id web_property_id time_period_start time_period_end search_engine search_engine_country_code'
                             ' search_engine_language_code locode device query root_domain'),
        ('ai_search_brands', 'account_id web_property_id time_period_start time_period_end collection_frequency locode language ai_search_engine'
                             ' topic prompt prompt_type persona brand_or_product_name brand_or_product_entity_type'),
        ('ai_search_citations', 'account_id web_property_id time_period_start time_period_end collection_frequency locode language ai_search_engine'
                             ' topic prompt prompt_type persona citation_url'),
        ('ai_search_fan_out', 'account_id web_property_id time_period_start time_period_end collection_frequency locode language ai_search_engine'
                             ' topic prompt prompt_type persona fan_out_query'),
        ('ai_search_sentiments', 'account_id web_property_id time_period_start time_period_end collection_frequency locode language ai_search_engine'
                             ' topic prompt prompt_type persona sentiment_brand sentiment_category sentiment_snippet sentiment_source_url'),
        ('ai_search_response', 'account_id web_property_id collection_frequency time_period_start time_period_end locode language'
                             ' ai_search_engine_id ai_search_engine topic prompt persona')
      ) AS known (name, identity)
  LOOP
    SELECT string_agg(CASE atttypid WHEN 'date'::regtype THEN format('to_char(%I, %L)', attname, 'YYYY-MM-DD') ELSE format('%I::text', attname) END,
                      ', ' ORDER BY array_position(dataset.identity, attname::text)) FILTER (WHERE attname = ANY (dataset.identity)),
           string_agg(format('t.%I', attname) || CASE atttypid WHEN 'text'::regtype THEN ' COLLATE "C"' ELSE '' END, ', ' ORDER BY attnum)
             FILTER (WHERE attname <> ALL (dataset.identity) AND NOT starts_with(attname::text, '_'))
      INTO texts, others
      FROM pg_attribute
     WHERE attrelid = dataset.parent AND attnum > 0 AND NOT attisdropped;
    -- One month at a time, so that what is kept meanwhile is three short values for each row of a month. No row has a key of
    -- version 2 before, so none is met by a key that is new.
    FOR part IN SELECT relid::regclass AS name FROM pg_partition_tree(dataset.parent) WHERE isleaf AND relid <> dataset.parent LOOP
      EXECUTE format('CREATE TEMP TABLE searchmill_keys AS
                      SELECT ctid AS row_id, searchmill.row_key(%s) AS key, 1 AS occurrence FROM %s', texts, part.name);
      ANALYZE pg_temp.searchmill_keys;
      EXECUTE format('UPDATE pg_temp.searchmill_keys k SET occurrence = n.occurrence
                        FROM (SELECT d.row_id, row_number() OVER (PARTITION BY d.key ORDER BY %s, t._extra, t._slice, t._occurrence) AS occurrence
                                FROM pg_temp.searchmill_keys d JOIN %s t ON t.ctid = d.row_id
                               WHERE d.key IN (SELECT key FROM pg_temp.searchmill_keys GROUP BY key HAVING count(*) > 1)) n
                       WHERE k.row_id = n.row_id AND n.occurrence > 1', others, part.name);
      EXECUTE format('UPDATE %s t SET _key = k.key, _occurrence = k.occurrence FROM pg_temp.searchmill_keys k WHERE t.ctid = k.row_id', part.name);
      DROP TABLE pg_temp.searchmill_keys;
    END LOOP;
  END LOOP;
END
$$;

COMMENT ON COLUMN search.keyword_rankings._key IS 'Row key, version 2: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.highest_ranking_url_per_keyword._key IS 'Row key, version 2: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.ai_search_brands._key IS 'Row key, version 2: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.ai_search_citations._key IS 'Row key, version 2: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.ai_search_fan_out._key IS 'Row key, version 2: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.ai_search_sentiments._key IS 'Row key, version 2: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
COMMENT ON COLUMN search.ai_search_response._key IS 'Row key, version 2: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.';
