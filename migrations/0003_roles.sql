-- Roles with the least they need: searchmill_writer runs the service, searchmill_reader is for dashboards. Neither can log
-- in by itself: grant them to your login roles (GRANT searchmill_reader TO metabase).
-- Guarantees: a reader can read the warehouse and the ledger and change nothing; a writer can change rows and stage loads,
-- but not the schema. Roles belong to the whole server: where this user may not create them, they are left out, with a notice.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction; roles that are there are kept.

DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['searchmill_writer', 'searchmill_reader'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = role_name) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
      END IF;
    EXCEPTION
      WHEN insufficient_privilege THEN RAISE NOTICE 'role % was not created: this user may not create roles', role_name;
      WHEN duplicate_object OR unique_violation THEN NULL;
    END;
  END LOOP;
END
$$;

-- Partitions are made by this function, with the rights of the tables' owner, so that a writer needs none on the schema.
CREATE FUNCTION searchmill.ensure_partition(dataset text, month date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  partition text := dataset || to_char(month, '_YYYY_MM');
BEGIN
  IF month <> date_trunc('month', month)::date THEN
    RAISE EXCEPTION '% is not the first day of a month', month;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                  WHERE n.nspname = 'search' AND c.relname = dataset AND c.relkind = 'p') THEN
    RAISE EXCEPTION 'search.% is not a table of the warehouse', dataset;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('searchmill partitions'), hashtext(dataset));
  IF EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname = 'search' AND c.relname = partition) THEN
    RETURN false;
  END IF;
  -- Made apart and attached: unlike CREATE ... PARTITION OF, attaching lets readers and writers go on.
  EXECUTE format('CREATE TABLE search.%I (LIKE search.%I INCLUDING ALL)', partition, dataset);
  EXECUTE format('ALTER TABLE search.%I ATTACH PARTITION search.%I FOR VALUES FROM (%L) TO (%L)',
                 dataset, partition, month, (month + interval '1 month')::date);
  RETURN true;
END
$$;
COMMENT ON FUNCTION searchmill.ensure_partition IS 'Makes the partition of one month of a warehouse table; false when it is there.';
REVOKE ALL ON FUNCTION searchmill.ensure_partition FROM PUBLIC;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_reader') THEN
    GRANT USAGE ON SCHEMA search, searchmill TO searchmill_reader;
    GRANT SELECT ON ALL TABLES IN SCHEMA search, searchmill TO searchmill_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search GRANT SELECT ON TABLES TO searchmill_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA searchmill GRANT SELECT ON TABLES TO searchmill_reader;
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    GRANT USAGE ON SCHEMA search, searchmill, searchmill_staging TO searchmill_writer;
    GRANT CREATE ON SCHEMA searchmill_staging TO searchmill_writer;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA search, searchmill TO searchmill_writer;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO searchmill_writer;
    ALTER DEFAULT PRIVILEGES IN SCHEMA searchmill GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO searchmill_writer;
    GRANT EXECUTE ON FUNCTION searchmill.ensure_partition TO searchmill_writer;
  END IF;
END
$$;
