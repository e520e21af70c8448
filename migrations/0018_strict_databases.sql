-- What a database that grants nothing by itself has to be told, and the removal of staging tables in a step of its own.
-- Guarantees: the loading role may connect and make temporary tables where PUBLIC may not; sweep_staging never removes the
-- staging of a live execution, and waits for nobody. Where this user may not grant rights on the database, they are left out,
-- with a notice; "searchmill check" tells.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    EXECUTE format('GRANT CONNECT, TEMPORARY ON DATABASE %I TO searchmill_writer', current_database());
  END IF;
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_reader') THEN
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO searchmill_reader', current_database());
  END IF;
EXCEPTION
  WHEN insufficient_privilege THEN RAISE NOTICE 'no rights on the database were granted: this user may not grant them';
END
$$;

-- With the rights of the schema's owner, so that it removes what any login role has made. A table that somebody reads, such as
-- pg_dump, stays for the next sweep. While pg_dump begins, it would fail for a table that goes, so all stay; after an hour it has
-- its locks, or hangs. Who may not see when its session began takes it for new. The number is read from the table's name: there
-- are few such tables, and a ledger keeps all executions there ever were.
CREATE FUNCTION searchmill.sweep_staging(only_execution bigint, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10ms'
AS $$
DECLARE
  leftover record;
  removed  integer := 0;
BEGIN
  IF EXISTS (SELECT FROM pg_stat_activity
              WHERE datname = current_database() AND application_name = 'pg_dump'
                AND coalesce(backend_start, clock_timestamp()) > clock_timestamp() - interval '1 hour') THEN
    RETURN 0;
  END IF;
  FOR leftover IN
    SELECT c.relname, e.id
      FROM pg_class c JOIN searchmill.executions e ON e.id = substring(c.relname FROM '^execution_([0-9]{1,18})$')::bigint
     WHERE c.relnamespace = 'searchmill_staging'::regnamespace AND c.relkind = 'r' AND e.ended_at IS NOT NULL
       AND (only_execution IS NULL OR c.relname = 'execution_' || only_execution)
     LIMIT most
  LOOP
    -- A replay of quarantined rows uses the table again, and holds this row meanwhile.
    CONTINUE WHEN NOT EXISTS (SELECT FROM searchmill.executions WHERE id = leftover.id FOR UPDATE SKIP LOCKED);
    BEGIN
      EXECUTE format('DROP TABLE IF EXISTS searchmill_staging.%I', leftover.relname);
      removed := removed + 1;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END LOOP;
  RETURN removed;
END
$$;
COMMENT ON FUNCTION searchmill.sweep_staging IS 'Removes staging tables of executions that have ended, of one or of all, at most so many; returns how many.';
REVOKE ALL ON FUNCTION searchmill.sweep_staging FROM PUBLIC;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    GRANT EXECUTE ON FUNCTION searchmill.sweep_staging TO searchmill_writer;
  END IF;
END
$$;
