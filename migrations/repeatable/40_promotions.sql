-- Columns that were made of keys of _extra (searchmill.promotions): how a value becomes one of a type, and the triggers that fill the
-- columns. _extra stays as it is. So digests, comparisons, staging and replays are the same with and without promoted columns, in
-- processes of any release.

-- No setting of a session makes a difference to it; Citus calls nothing else in an UPDATE.
CREATE OR REPLACE FUNCTION searchmill.promoted_value(value jsonb, type text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  given  text := value #>> '{}';
  number numeric;
BEGIN
  IF given IS NULL OR type = 'text' THEN
    RETURN given;
  END IF;
  IF jsonb_typeof(value) IN ('object', 'array') OR length(given) > 1000 THEN
    RETURN NULL;
  END IF;
  IF type IN ('bigint', 'numeric') THEN
    IF given !~ '^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$' THEN
      RETURN NULL;
    END IF;
    number := given::numeric;
    IF type = 'numeric' THEN
      RETURN number::text;
    END IF;
    RETURN CASE WHEN number = trunc(number) AND number BETWEEN -9223372036854775808 AND 9223372036854775807
                THEN number::bigint::text END;
  ELSIF type = 'boolean' THEN
    RETURN CASE lower(given COLLATE "C") WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' END;
  ELSIF type = 'date' THEN
    IF given !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' THEN
      RETURN NULL;
    END IF;
    PERFORM make_date(substr(given, 1, 4)::integer, substr(given, 6, 2)::integer, substr(given, 9, 2)::integer);
    RETURN given;
  ELSIF type = 'timestamptz' THEN
    IF given !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?$' THEN
      RETURN NULL;
    END IF;
    -- Without a zone it is UTC.
    RETURN to_char((CASE WHEN given ~ '(Z|:[0-9.]+[+-][0-9:]+)$' THEN given ELSE given || ' Z' END)::timestamptz AT TIME ZONE 'UTC',
                   'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
  END IF;
  RETURN NULL;
EXCEPTION WHEN data_exception THEN
  -- A date that the calendar does not have.
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION searchmill.promoted_value IS 'A value of _extra as the text of a value of a promoted column''s type; NULL if it is '
  'none. An empty text is none, except of text.';

-- The zone of the session changes the text of a time, but not the moment.
CREATE OR REPLACE FUNCTION searchmill.with_key(extra jsonb, key text, value anyelement) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN coalesce(extra, '{}') || jsonb_build_object(key, to_jsonb(value) #>> '{}');
END
$$;
COMMENT ON FUNCTION searchmill.with_key IS 'What _extra is with the value of a promoted column under its key, as '
  'text that promoted_value reads.';

CREATE OR REPLACE FUNCTION searchmill.apply_promotions(dataset text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  fill text := (SELECT string_agg(
                         CASE WHEN p.adopted_at IS NULL
                              THEN format('  NEW.%I := searchmill.promoted_value(NEW._extra OPERATOR(pg_catalog.->) %L, %L)::%s;',
                                          p.column_name, p.column_name, p.type, t.named)
                              -- The release writes the column itself; only loads of older processes bring the key.
                              ELSE format('  IF pg_catalog.jsonb_exists(NEW._extra, %L) THEN NEW.%I := searchmill.promoted_value('
                                          'NEW._extra OPERATOR(pg_catalog.->) %L, %L)::%s; END IF;', p.column_name, p.column_name,
                                          p.column_name, p.type, t.named) END, E'\n' ORDER BY p.column_name)
                  FROM searchmill.promotions p
                 CROSS JOIN LATERAL (SELECT CASE p.type WHEN 'timestamptz' THEN 'timestamp with time zone'
                                                        WHEN 'text' THEN 'pg_catalog.text'
                                                        WHEN 'date' THEN 'pg_catalog.date' ELSE p.type END AS named) AS t
                 WHERE p.dataset = apply_promotions.dataset);
BEGIN
  IF fill IS NULL THEN
    EXECUTE format('DROP TRIGGER IF EXISTS searchmill_promoted ON search.%I', dataset);
    EXECUTE format('DROP FUNCTION IF EXISTS searchmill.%I()', 'fill_promoted_' || dataset);
    PERFORM searchmill.define_arrays(dataset);
    RETURN;
  END IF;
  EXECUTE format(E'CREATE OR REPLACE FUNCTION searchmill.%I() RETURNS trigger LANGUAGE plpgsql AS %L', 'fill_promoted_' || dataset,
                 E'BEGIN\n' || fill || E'\n  RETURN NEW;\nEND');
  IF NOT EXISTS (SELECT FROM pg_trigger g
                  WHERE g.tgrelid = format('search.%I', dataset)::regclass AND g.tgname = 'searchmill_promoted') THEN
    EXECUTE format('CREATE TRIGGER searchmill_promoted BEFORE INSERT OR UPDATE ON search.%I FOR EACH ROW EXECUTE FUNCTION searchmill.%I()',
                   dataset, 'fill_promoted_' || dataset);
  END IF;
  PERFORM searchmill.define_arrays(dataset);
END
$$;
COMMENT ON FUNCTION searchmill.apply_promotions IS 'Makes the trigger that fills the promoted columns of a table, and the view that has '
  'them, or brings both up to date.';

-- Their text is made by the function above, which this release may have changed.
DO $$
BEGIN
  PERFORM searchmill.apply_promotions(p.dataset) FROM (SELECT DISTINCT dataset FROM searchmill.promotions) AS p;
END
$$;

CREATE OR REPLACE VIEW search_reports.promoted_columns AS
SELECT p.dataset, p.column_name, p.type, p.promoted_at, p.filled_at
  FROM searchmill.promotions p
 WHERE p.adopted_at IS NULL;
COMMENT ON VIEW search_reports.promoted_columns IS 'Columns of the tables that an operator has made of keys of _extra, in addition to '
  'those of the release.';
COMMENT ON COLUMN search_reports.promoted_columns.dataset IS 'Dataset, and name of its table.';
COMMENT ON COLUMN search_reports.promoted_columns.column_name IS 'Name of the column, and key of _extra.';
COMMENT ON COLUMN search_reports.promoted_columns.type IS 'Type of the column. A value that is none of the type is NULL.';
COMMENT ON COLUMN search_reports.promoted_columns.promoted_at IS 'When the column was made. What was loaded since has it.';
COMMENT ON COLUMN search_reports.promoted_columns.filled_at IS 'When rows from before had it, too; NULL until then.';
