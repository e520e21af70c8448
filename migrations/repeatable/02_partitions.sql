-- Functions with the rights of the owner of tables and staging. They make and remove partitions, so that a writer needs no right on the
-- schemas.

CREATE OR REPLACE FUNCTION searchmill.ensure_partition(dataset text, month date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  partition text := dataset || to_char(month, '_YYYY_MM');
  next      date := (month + interval '1 month')::date;
  parent    regclass;
  present   regclass;
  part      record;
  is_open   boolean := true;
  has_rows  boolean;
  missing   date[];
BEGIN
  IF month <> date_trunc('month', month)::date THEN
    RAISE EXCEPTION '% is not the first day of a month', month;
  END IF;
  SELECT c.oid INTO parent FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE n.nspname = 'search' AND c.relname = dataset AND c.relkind = 'p';
  IF parent IS NULL THEN
    RAISE EXCEPTION 'search.% is not a table of the warehouse', dataset
      USING ERRCODE = 'wrong_object_type', SCHEMA = 'search', TABLE = dataset;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('searchmill partitions'), hashtext(dataset));
  missing := ARRAY(SELECT day::date FROM generate_series(month::timestamp, (next - 1)::timestamp, interval '1 day') AS day);
  FOR part IN
    SELECT i.inhrelid::regclass AS name, pg_get_partition_constraintdef(i.inhrelid) AS takes,
           pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT' AS is_default
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = parent AND NOT i.inhdetachpending
  LOOP
    IF part.is_default THEN
      -- The default partition takes the rows that no other takes. A month gets a partition of its own, unless rows of it are there already.
      is_open := false;
      EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s WHERE time_period_start >= $1 AND time_period_start < $2)', part.name)
         INTO has_rows USING month, next;
      IF has_rows THEN
        RETURN false;
      END IF;
    ELSE
      EXECUTE format('SELECT array_agg(time_period_start) FROM unnest($1) AS t (time_period_start) WHERE NOT coalesce(%s, true)',
                     part.takes)
         INTO missing USING missing;
    END IF;
    EXIT WHEN missing IS NULL;
  END LOOP;
  IF missing IS NULL THEN
    RETURN false;
  END IF;
  IF array_length(missing, 1) < next - month THEN
    IF NOT is_open THEN
      RETURN false;
    END IF;
    RAISE EXCEPTION 'partitions of search.% take a part of the month of % only: none has %', dataset, month, missing[1]
      USING ERRCODE = 'invalid_object_definition', SCHEMA = 'search', TABLE = dataset;
  END IF;
  SELECT c.oid INTO present FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE n.nspname = 'search_partitions' AND c.relname = partition;
  IF present IS NOT NULL THEN
    RAISE EXCEPTION 'search_partitions.% is there and is not a partition of search.% for that month', partition, dataset
      USING ERRCODE = 'duplicate_table', SCHEMA = 'search_partitions', TABLE = partition;
  END IF;
  -- Created as a table and then attached: unlike CREATE ... PARTITION OF, this does not block readers and writers.
  EXECUTE format('CREATE TABLE search_partitions.%I (LIKE search.%I INCLUDING ALL)', partition, dataset);
  EXECUTE format('ALTER TABLE search.%I ATTACH PARTITION search_partitions.%I FOR VALUES FROM (%L) TO (%L)', dataset, partition, month,
                 next);
  RETURN true;
END
$$;
COMMENT ON FUNCTION searchmill.ensure_partition IS 'Makes the partition of one month of a warehouse table. Returns false when partitions '
  'that are already attached, whatever their names, take its rows.';

CREATE OR REPLACE FUNCTION searchmill.drop_partition(dataset text, month date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  partition text := dataset || to_char(month, '_YYYY_MM');
BEGIN
  IF NOT EXISTS (SELECT FROM pg_inherits i
                   JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
                  WHERE c.relnamespace = 'search_partitions'::regnamespace AND c.relname = partition
                    AND p.relnamespace = 'search'::regnamespace AND p.relname = dataset AND NOT i.inhdetachpending) THEN
    RETURN false;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtext('searchmill partitions'), hashtext(dataset));
  EXECUTE format('ALTER TABLE search.%I DETACH PARTITION search_partitions.%I', dataset, partition);
  EXECUTE format('DROP TABLE search_partitions.%I', partition);
  RETURN true;
END
$$;
COMMENT ON FUNCTION searchmill.drop_partition IS 'Removes the partition of one month of a warehouse table with its rows. Returns false '
  'when there is none.';

-- Logins are rotated while loads run. So a staging table belongs to a role that the next login is a member of, too: searchmill_writer, else
-- the owner of the schema. If this login is a member of neither, it keeps the table.
CREATE OR REPLACE FUNCTION searchmill.share_staging(execution bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  -- Giving a table to a role needs the right to SET ROLE, which since Postgres 16 is a right apart from membership.
  membership text := CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER' END;
  shared     name;
BEGIN
  SELECT r.rolname INTO shared
    FROM pg_roles r
   WHERE (r.rolname = 'searchmill_writer' OR r.oid = (SELECT nspowner FROM pg_namespace WHERE nspname = 'searchmill_staging'))
     AND pg_has_role(r.oid, membership) AND pg_has_role(r.oid, 'USAGE')
     AND has_schema_privilege(r.oid, 'searchmill_staging', 'CREATE')
   ORDER BY r.rolname = 'searchmill_writer' DESC
   LIMIT 1;
  IF shared <> current_user THEN
    EXECUTE format('ALTER TABLE searchmill_staging.%I OWNER TO %I', 'execution_' || execution, shared);
  END IF;
END
$$;
COMMENT ON FUNCTION searchmill.share_staging IS 'Gives the staging table of an execution, which belongs to the caller, to the role that '
  'all logins of the service share.';

-- Has the rights of the schema's owner, so that it can remove the tables of every login. A table that somebody reads stays for the next
-- sweep. pg_dump fails if a table disappears while it begins, so no table is removed in the first hour of its session; later it has its
-- locks or hangs. A login that may not see when the session began treats it as new. The number of the execution is read from the table's
-- name: there are few such tables, but the ledger keeps many executions.
CREATE OR REPLACE FUNCTION searchmill.sweep_staging(only_execution bigint, most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10ms' AS $$
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
    -- A replay of quarantined rows uses the table again and locks this row meanwhile.
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
COMMENT ON FUNCTION searchmill.sweep_staging IS 'Removes staging tables of ended executions, of all or of one, at most so many; returns '
  'how many it removed.';

CREATE OR REPLACE FUNCTION searchmill.comments_on(relations regclass[]) RETURNS text[]
LANGUAGE sql STABLE
RETURN ARRAY(SELECT format('COMMENT ON %s %s IS %L', CASE o.type WHEN 'table' THEN 'TABLE' WHEN 'view' THEN 'VIEW' ELSE 'COLUMN' END,
                           o.identity, d.description)
               FROM pg_catalog.pg_description d CROSS JOIN LATERAL pg_identify_object(d.classoid, d.objoid, d.objsubid) o
              WHERE d.classoid = 'pg_catalog.pg_class'::regclass AND d.objoid = ANY (relations));
COMMENT ON FUNCTION searchmill.comments_on IS 'Statements that restore the current comments of tables, views and their columns.';

-- Citus creates the table, its partitions and the views over it again, without their comments.
CREATE OR REPLACE FUNCTION searchmill.undistribute(dataset text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  moved    regclass := format('search.%I', dataset);
  comments text[] := searchmill.comments_on(ARRAY(
    SELECT relid FROM pg_partition_tree(moved)
    UNION ALL
    SELECT to_regclass(name) FROM unnest(ARRAY[moved || '_arrays', 'search_reports.answers', 'search_reports.answer_brands',
                                               'search_reports.answer_citations']) AS name));
  remark   text;
BEGIN
  EXECUTE 'SELECT undistribute_table($1)' USING moved;
  FOREACH remark IN ARRAY comments LOOP
    EXECUTE remark;
  END LOOP;
END
$$;
COMMENT ON FUNCTION searchmill.undistribute IS 'Brings the rows of a table of schema search back to the coordinator of a Citus cluster.';

REVOKE ALL ON FUNCTION searchmill.ensure_partition, searchmill.drop_partition, searchmill.sweep_staging FROM PUBLIC;
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    GRANT EXECUTE ON FUNCTION searchmill.ensure_partition, searchmill.drop_partition, searchmill.sweep_staging TO searchmill_writer;
  END IF;
END
$$;
