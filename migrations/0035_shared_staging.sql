-- Staging that outlives the login that made it, and partitions that somebody else made.
-- Guarantees: nothing that is there changes. A month that lies in attached partitions, whatever their names, needs no further one. Where
-- none can be made, the error names the table in the way.
-- Old processes: go on. Staging that they make belongs to their login.
-- Repeating: applied once, by the migration runner, in one transaction.

-- Logins are rotated while loads run. So a staging table belongs to a role of which the next login is a member, too: searchmill_writer, else
-- the owner of the schema. Where this login is a member of neither, the table stays its own.
CREATE FUNCTION searchmill.share_staging(execution bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  -- Giving a table away needs SET ROLE, which Postgres 16 tells apart from membership.
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
COMMENT ON FUNCTION searchmill.share_staging IS 'Gives the staging table of an execution, which is the caller''s, to the role that all logins of the service share.';

CREATE OR REPLACE FUNCTION searchmill.ensure_partition(dataset text, month date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
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
      -- It takes what no other takes. A whole month gets a partition of its own, unless rows of it lie there already.
      is_open := false;
      EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE time_period_start >= $1 AND time_period_start < $2)', part.name)
         INTO has_rows USING month, next;
      IF has_rows THEN
        RETURN false;
      END IF;
    ELSE
      EXECUTE format('SELECT array_agg(time_period_start) FROM unnest($1) AS t (time_period_start) WHERE NOT coalesce(%s, true)', part.takes)
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
   WHERE n.nspname = 'search' AND c.relname = partition;
  IF present IS NOT NULL THEN
    RAISE EXCEPTION 'search.% is there and is no partition of search.% for that month', partition, dataset
      USING ERRCODE = 'duplicate_table', SCHEMA = 'search', TABLE = partition;
  END IF;
  -- Made apart and attached: unlike CREATE ... PARTITION OF, attaching lets readers and writers go on.
  EXECUTE format('CREATE TABLE search.%I (LIKE search.%I INCLUDING ALL)', partition, dataset);
  EXECUTE format('ALTER TABLE search.%I ATTACH PARTITION search.%I FOR VALUES FROM (%L) TO (%L)', dataset, partition, month, next);
  RETURN true;
END
$$;
COMMENT ON FUNCTION searchmill.ensure_partition IS 'Makes the partition of one month of a warehouse table; false when attached partitions, whatever their names, take its rows.';
