-- The schemas, and roles with the least they need: searchmill_writer runs the service, searchmill_reader reads all there is to read, searchmill_analyst
-- the warehouse and its reports without the ledger, searchmill_account the reports of the accounts that searchmill.account_logins names for a login.
-- None can log in by itself: grant them to your login roles (GRANT searchmill_analyst TO metabase).
-- Guarantees: who reads changes nothing (but logs out of the pages), and finds neither partitions nor stored summaries among the tables; a writer can change rows and stage loads, but not the
-- schema. Roles belong to the whole server: where this user may not create them, they are left out, with a notice. Where this user may not
-- grant rights on the database, those are left out, with a notice; "searchmill check" tells.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

-- The migration runner has made schema searchmill for its own table.
CREATE SCHEMA searchmill_staging;
CREATE SCHEMA search;
CREATE SCHEMA search_partitions;
CREATE SCHEMA search_reports;
CREATE SCHEMA search_stored;

COMMENT ON SCHEMA searchmill IS 'Searchmill''s ledger: slices, executions, publications, quarantine, call budgets.';
COMMENT ON SCHEMA searchmill_staging IS 'One table per running execution with its unpublished rows. Never query it.';
COMMENT ON SCHEMA search IS 'The warehouse: one table per dataset, published week by week.';
COMMENT ON SCHEMA search_partitions IS 'The rows of schema search, one table per dataset and month. Query the tables of schema search: rights and policies are theirs.';
COMMENT ON SCHEMA search_stored IS 'The stored rows of the summaries of schema search_reports. Query those: they leave out what is out of date.';
COMMENT ON SCHEMA search_reports IS 'Summaries for dashboards, by account and week; they agree with the tables of schema search at every moment.';

COMMENT ON TABLE searchmill.migrations IS 'Migrations that were applied, written by the migration runner.';
COMMENT ON COLUMN searchmill.migrations.id IS 'Number of the entry.';
COMMENT ON COLUMN searchmill.migrations.name IS 'File of the migration, without its ending.';
COMMENT ON COLUMN searchmill.migrations.run_on IS 'When it was applied.';

CREATE TABLE searchmill.schema_digests (
  name       text        NOT NULL,
  digest     text        NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (name, digest)
);
COMMENT ON TABLE searchmill.schema_digests IS 'What the files were that made this schema, so that another build of it is told.';
COMMENT ON COLUMN searchmill.schema_digests.name IS 'A migration, or views_and_functions: all repeatable files together.';
COMMENT ON COLUMN searchmill.schema_digests.digest IS 'SHA-256 of its text.';
COMMENT ON COLUMN searchmill.schema_digests.applied_at IS 'When it was applied.';

DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['searchmill_writer', 'searchmill_reader', 'searchmill_analyst', 'searchmill_account'] LOOP
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

-- Tables, views and functions that follow get these rights as they are made. The rows of one account are given to searchmill_account with the policies that
-- choose them (docs/deploying.md).
DO $$
DECLARE
  reading name;
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_reader') THEN
    GRANT SELECT ON ALL TABLES IN SCHEMA searchmill TO searchmill_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search GRANT SELECT ON TABLES TO searchmill_reader;
    ALTER DEFAULT PRIVILEGES IN SCHEMA searchmill GRANT SELECT ON TABLES TO searchmill_reader;
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_analyst') THEN
    ALTER DEFAULT PRIVILEGES IN SCHEMA search GRANT SELECT ON TABLES TO searchmill_analyst;
  END IF;
  FOR reading IN SELECT rolname FROM pg_catalog.pg_roles WHERE rolname IN ('searchmill_reader', 'searchmill_analyst', 'searchmill_account') LOOP
    -- Of schema searchmill only what functions of reports call.
    EXECUTE format('GRANT USAGE ON SCHEMA search, searchmill, search_reports TO %I', reading);
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA search_reports GRANT SELECT ON TABLES TO %I', reading);
    EXECUTE format('ALTER DEFAULT PRIVILEGES IN SCHEMA search_reports GRANT EXECUTE ON FUNCTIONS TO %I', reading);
  END LOOP;
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    GRANT USAGE ON SCHEMA search, search_partitions, search_stored, searchmill, search_reports, searchmill_staging TO searchmill_writer;
    GRANT CREATE ON SCHEMA searchmill_staging TO searchmill_writer;
    GRANT SELECT ON ALL TABLES IN SCHEMA searchmill TO searchmill_writer;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO searchmill_writer;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search_partitions GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO searchmill_writer;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search_stored GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO searchmill_writer;
    ALTER DEFAULT PRIVILEGES IN SCHEMA searchmill GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO searchmill_writer;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search_reports GRANT SELECT ON TABLES TO searchmill_writer;
    ALTER DEFAULT PRIVILEGES IN SCHEMA search_reports GRANT EXECUTE ON FUNCTIONS TO searchmill_writer;
  END IF;
END
$$;

DO $$
DECLARE
  grantee record;
BEGIN
  FOR grantee IN
    SELECT rolname AS name, CASE rolname WHEN 'searchmill_writer' THEN 'CONNECT, TEMPORARY' ELSE 'CONNECT' END AS rights
      FROM pg_catalog.pg_roles
     WHERE rolname IN ('searchmill_writer', 'searchmill_reader', 'searchmill_analyst', 'searchmill_account')
  LOOP
    EXECUTE format('GRANT %s ON DATABASE %I TO %I', grantee.rights, current_database(), grantee.name);
  END LOOP;
EXCEPTION
  WHEN insufficient_privilege THEN RAISE NOTICE 'no rights on the database were granted: this user may not grant them';
END
$$;
