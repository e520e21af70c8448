-- Staging tables of loads under way get all columns. Earlier releases left out of staging the first values that all rows of a load
-- share, and kept them in the table's comment: {"columns": ["account_id bigint", ...], "values": "<base64 of fields of binary COPY>"}.
-- Guarantees: a load that an earlier release began goes on where it stopped, and its rows are as they were sent. Each column is added
-- with the value as its default, so a process of an earlier release that goes on leaving it out writes the same rows. A table is left
-- as it is where its comment is another's, has a value of a type not decoded here, or this user does not own the table: its load is
-- abandoned and submitted anew.
-- Locks: each of these tables, until the transaction ends. No row is written.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

DO $$
DECLARE
  staging record;
  entry   record;
  bytes   bytea;
  field   bytea;
  size    integer;
  start   integer;
  value   text;
  added   text[];
BEGIN
  FOR staging IN
    SELECT format('searchmill_staging.%I', c.relname) AS name, d.description AS common, format('search.%I', s.dataset)::regclass AS target
      FROM pg_class c
      JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid = 0
      JOIN searchmill.executions e ON e.id = substring(c.relname FROM '^execution_([0-9]{1,18})$')::bigint
      JOIN searchmill.slices s ON s.id = e.slice_id
     WHERE c.relnamespace = 'searchmill_staging'::regnamespace AND c.relkind = 'r'
  LOOP
    BEGIN
      bytes := decode(staging.common::jsonb ->> 'values', 'base64');
      start := 1;
      added := '{}';
      FOR entry IN
        SELECT a.attname AS name, format_type(a.atttypid, NULL) AS type
          FROM jsonb_array_elements_text(staging.common::jsonb -> 'columns') WITH ORDINALITY AS kept (name_and_type, number)
          LEFT JOIN pg_attribute a ON a.attrelid = staging.target AND a.attnum > 0
                                  AND a.attname || ' ' || format_type(a.atttypid, NULL) = kept.name_and_type
         ORDER BY number
      LOOP
        size := ('x' || encode(substring(bytes FROM start FOR 4), 'hex'))::bit(32)::integer;
        field := substring(bytes FROM start + 4 FOR greatest(size, 0));
        start := start + 4 + greatest(size, 0);
        value := NULL;
        IF size <> -1 THEN
          CASE entry.type
            WHEN 'bigint' THEN value := ('x' || encode(field, 'hex'))::bit(64)::bigint;
            WHEN 'integer' THEN value := ('x' || encode(field, 'hex'))::bit(32)::integer;
            WHEN 'date' THEN value := to_char(date '2000-01-01' + ('x' || encode(field, 'hex'))::bit(32)::integer, 'YYYY-MM-DD');
            WHEN 'boolean' THEN value := get_byte(field, 0) = 1;
            WHEN 'text' THEN value := convert_from(field, 'UTF8');
          END CASE;
        END IF;
        added := added || format('ADD COLUMN IF NOT EXISTS %I %s DEFAULT %L', entry.name, entry.type, value);
      END LOOP;
      IF start - 1 IS DISTINCT FROM length(bytes) THEN
        RAISE data_exception;
      END IF;
      EXECUTE format('ALTER TABLE %s %s', staging.name, array_to_string(added, ', '));
      EXECUTE format('COMMENT ON TABLE %s IS NULL', staging.name);
    EXCEPTION
      WHEN undefined_table THEN NULL;
      WHEN data_exception OR case_not_found OR insufficient_privilege THEN
        RAISE NOTICE '% is left as it is (%): its load is submitted anew if it lacks columns', staging.name, SQLERRM;
    END;
  END LOOP;
END
$$;
