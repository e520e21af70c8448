-- Facts of the database: limits, rights, and objects that others made.

-- name: database/find-additions
-- What people have put on the seven tables and their partitions that may skip, change or refuse rows: triggers and rules that are on, policies, row level security,
-- constraints, unique indexes, and columns that need a value which a load does not give.
-- Params: :dataset, or null for all.
-- Result: dataset, relation, kind, name, detail; those of the tables before those of partitions. What a partition has from its table is told once. Locks: none.
-- Not null: dataset, relation, kind, name, detail.
WITH relations AS (
  SELECT p.relname AS dataset, c.oid, c.oid <> p.oid AS is_partition, c.relrowsecurity, c.oid::regclass::text AS relation
    FROM pg_catalog.pg_class p
   CROSS JOIN LATERAL pg_catalog.pg_partition_tree(p.oid) tree
    JOIN pg_catalog.pg_class c ON c.oid = tree.relid
   WHERE p.relnamespace = 'search'::regnamespace AND p.relkind = 'p' AND (:dataset::text IS NULL OR p.relname = :dataset)
), found AS (
  SELECT r.*, 'trigger' AS kind, t.tgname AS name, substring(pg_catalog.pg_get_triggerdef(t.oid), '(?:BEFORE|AFTER|INSTEAD OF) .*') AS detail
    FROM relations r JOIN pg_catalog.pg_trigger t ON t.tgrelid = r.oid
   WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND t.tgenabled IN ('O', 'A')
     -- Of promoted columns.
     AND NOT (t.tgname = 'searchmill_promoted' AND t.tgfoid IN (SELECT p.oid FROM pg_catalog.pg_proc p WHERE p.pronamespace = 'searchmill'::regnamespace))
  UNION ALL
  SELECT r.*, 'rule', w.rulename, substring(pg_catalog.pg_get_ruledef(w.oid), 'ON .*')
    FROM relations r JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.oid
   WHERE w.ev_enabled IN ('O', 'A')
  UNION ALL
  SELECT r.*, 'policy', p.polname, concat_ws(' ', CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
                                             'USING ' || pg_catalog.pg_get_expr(p.polqual, p.polrelid),
                                             'WITH CHECK ' || pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid))
    FROM relations r JOIN pg_catalog.pg_policy p ON p.polrelid = r.oid
   WHERE r.relrowsecurity
  UNION ALL
  SELECT r.*, 'policy', 'ROW LEVEL SECURITY', 'enabled without a policy: hides all rows from all but the owner'
    FROM relations r
   WHERE r.relrowsecurity AND NOT EXISTS (SELECT FROM pg_catalog.pg_policy p WHERE p.polrelid = r.oid)
  UNION ALL
  SELECT r.*, CASE k.contype WHEN 'f' THEN 'foreign key' ELSE 'constraint' END, k.conname, pg_catalog.pg_get_constraintdef(k.oid)
    FROM relations r JOIN pg_catalog.pg_constraint k ON k.conrelid = r.oid
   WHERE k.contype IN ('f', 'c', 'u', 'x') AND k.conparentid = 0 AND (k.coninhcount = 0 OR NOT r.is_partition)
  UNION ALL
  SELECT r.*, 'foreign key', k.conname, 'of ' || k.conrelid::regclass::text || ', ' || pg_catalog.pg_get_constraintdef(k.oid)
    FROM relations r JOIN pg_catalog.pg_constraint k ON k.confrelid = r.oid
   WHERE k.contype = 'f' AND k.conparentid = 0
  UNION ALL
  SELECT r.*, 'index', i.indexrelid::regclass::text, substring(pg_catalog.pg_get_indexdef(i.indexrelid), 'USING .*')
    FROM relations r JOIN pg_catalog.pg_index i ON i.indrelid = r.oid
   WHERE i.indisunique AND NOT i.indisprimary
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid)
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits h WHERE h.inhrelid = i.indexrelid)
  UNION ALL
  SELECT r.*, 'column', a.attname, 'NOT NULL without a default'
    FROM relations r JOIN pg_catalog.pg_attribute a ON a.attrelid = r.oid
   WHERE NOT r.is_partition AND a.attnum > 0 AND NOT a.attisdropped AND a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
     AND a.attname NOT IN ('account_id', 'time_period_start', '_key', '_occurrence', '_slice', '_loaded_at', '_changed_at')
)
SELECT dataset, relation, kind, name, coalesce(detail, '') AS detail FROM found ORDER BY dataset, is_partition, relation, kind, name;

-- name: database/find-changed-object
-- What a person has to change after a failure that named a relation, and a constraint or a column of it: the table above a partition where that has the
-- constraint, the NOT NULL or the row level security, too, and the foreign key of which Postgres made another for each partition.
-- Params: :schema, or null for search or search_partitions; :relation; :constraint and :column, or null. A primary key is nothing to change.
-- Result: schema, relation, constraint; no row where there is none. Locks: none.
-- Not null: schema, relation.
WITH RECURSIVE up AS (
  SELECT c.oid, 0 AS level
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relname = :relation AND n.nspname = ANY (CASE WHEN :schema::text IS NULL THEN ARRAY['search', 'search_partitions'] ELSE ARRAY[:schema] END)
  UNION ALL
  SELECT i.inhparent, up.level + 1 FROM up JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.oid
), keys AS (
  SELECT k.oid, k.conparentid, k.conname, k.conrelid, up.level
    FROM up JOIN pg_catalog.pg_constraint k ON k.conrelid = up.oid AND k.conname = :constraint::text AND k.contype <> 'p'
  UNION ALL
  SELECT k.oid, k.conparentid, k.conname, k.conrelid, keys.level + 1
    FROM keys JOIN pg_catalog.pg_constraint k ON k.oid = keys.conparentid
), found AS (
  SELECT keys.conrelid AS oid, keys.conname, keys.level FROM keys
  UNION ALL
  SELECT up.oid, NULL, up.level
    FROM up JOIN pg_catalog.pg_class c ON c.oid = up.oid
   WHERE :constraint::text IS NULL
     AND CASE WHEN :column::text IS NULL THEN c.relrowsecurity
              ELSE EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = up.oid AND a.attname = :column AND a.attnotnull) END
)
SELECT n.nspname::text AS schema, c.relname::text AS relation, found.conname::text AS constraint
  FROM found JOIN pg_catalog.pg_class c ON c.oid = found.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 ORDER BY found.level DESC LIMIT 1;

-- name: database/find-event-triggers
-- Event triggers that run when a table is made: one that gives it to another role, or grants and revokes, gets into the way of loads.
-- Result: name, function. Locks: none.
-- Not null: name, function.
SELECT t.evtname::text AS name, t.evtfoid::regprocedure::text AS function
  FROM pg_catalog.pg_event_trigger t
 WHERE t.evtenabled IN ('O', 'A') AND t.evtevent IN ('ddl_command_start', 'ddl_command_end')
   AND (t.evttags IS NULL OR t.evttags && ARRAY['CREATE TABLE', 'ALTER TABLE'])
 ORDER BY t.evtname;

-- name: database/find-idle-memberships
-- Logins that are members of a role of Searchmill but do not get its rights: they do not inherit them, and their sessions do not begin with SET ROLE.
-- Result: login, role, statement that changes it. Locks: none.
-- Not null: login, role, statement.
SELECT l.rolname::text AS login, r.rolname::text AS role,
       CASE WHEN current_setting('server_version_num')::integer >= 160000
         THEN format('GRANT %I TO %I WITH INHERIT TRUE', r.rolname, l.rolname)
         ELSE format('ALTER ROLE %I INHERIT', l.rolname) END AS statement
  FROM pg_catalog.pg_roles l JOIN pg_catalog.pg_roles r ON r.rolname IN ('searchmill_writer', 'searchmill_reader', 'searchmill_analyst', 'searchmill_account')
 WHERE l.rolcanlogin AND NOT l.rolsuper AND pg_has_role(l.oid, r.oid, 'MEMBER') AND NOT pg_has_role(l.oid, r.oid, 'USAGE')
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_db_role_setting s CROSS JOIN LATERAL unnest(s.setconfig) AS setting
                    WHERE s.setrole = l.oid AND s.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
                      AND setting IN ('role=' || r.rolname, 'role=' || quote_ident(r.rolname)))
 ORDER BY l.rolname, r.rolname;

-- name: database/find-lacking-grants
-- What the roles of Searchmill lack of what "searchmill migrate" promises them, as statements that give it: for roles that are missing, CREATE ROLE only.
-- Result: statement; CREATE ROLE come first. Locks: none. Asked of a migrated database. Left out: objects of others in our schemas, and the rights of
-- searchmill_account to tables, which administrators give with the policies (docs/deploying.md).
-- Not null: statement.
WITH roles AS (
  SELECT given.name, r.oid, given.name <> 'searchmill_writer' AS is_reading
    FROM (VALUES ('searchmill_writer'), ('searchmill_reader'), ('searchmill_analyst'), ('searchmill_account')) AS given (name)
    LEFT JOIN pg_catalog.pg_roles r ON r.rolname = given.name
), schemas AS (
  SELECT oid, nspname, nspowner FROM pg_catalog.pg_namespace
   WHERE nspname IN ('search', 'search_partitions', 'search_reports', 'search_stored', 'searchmill', 'searchmill_staging')
), relations AS (
  SELECT c.oid, c.relname, c.relkind, n.nspname, c.oid::regclass::text AS shown
    FROM pg_catalog.pg_class c JOIN schemas n ON n.oid = c.relnamespace AND n.nspowner = c.relowner
   WHERE c.relkind IN ('r', 'p', 'v') AND n.nspname <> 'searchmill_staging'
), wanted AS (
  SELECT r.name, 'DATABASE' AS kind, w.privilege, quote_ident(current_database()) AS shown, has_database_privilege(r.oid, current_database(), w.privilege) AS is_there
    FROM roles r CROSS JOIN (VALUES ('CONNECT'), ('TEMPORARY')) AS w (privilege)
   WHERE r.oid IS NOT NULL AND (w.privilege = 'CONNECT' OR NOT r.is_reading)
  UNION ALL
  SELECT r.name, 'SCHEMA', w.privilege, quote_ident(n.nspname), has_schema_privilege(r.oid, n.oid, w.privilege)
    FROM roles r CROSS JOIN schemas n CROSS JOIN (VALUES ('USAGE'), ('CREATE')) AS w (privilege)
   WHERE r.oid IS NOT NULL
     AND CASE WHEN w.privilege = 'CREATE' THEN n.nspname = 'searchmill_staging' AND NOT r.is_reading
              ELSE NOT r.is_reading OR n.nspname IN ('search', 'searchmill', 'search_reports') END
  UNION ALL
  SELECT r.name, 'FUNCTION', 'EXECUTE', p.oid::regprocedure::text, has_function_privilege(r.oid, p.oid, 'EXECUTE')
    FROM roles r CROSS JOIN schemas n JOIN pg_catalog.pg_proc p ON p.pronamespace = n.oid AND p.proowner = n.nspowner
   -- Functions of schema searchmill with the rights of their owner change tables.
   WHERE r.oid IS NOT NULL AND n.nspname IN ('searchmill', 'search_reports') AND (NOT r.is_reading OR n.nspname = 'search_reports' OR NOT p.prosecdef)
  UNION ALL
  SELECT r.name, 'TABLE', w.privilege, c.shown, has_table_privilege(r.oid, c.oid, w.privilege)
    FROM roles r CROSS JOIN relations c CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) AS w (privilege)
   WHERE r.oid IS NOT NULL
     AND CASE r.name
           WHEN 'searchmill_writer' THEN
             w.privilege = 'SELECT'
             OR c.relkind <> 'v' AND c.nspname <> 'search_reports'
                AND NOT (c.nspname = 'searchmill' AND c.relname IN ('migrations', 'schema_digests', 'ledger', 'budget_salt', 'account_logins'))
           ELSE
             w.privilege = 'SELECT'
             AND (c.nspname = 'search_reports'
                  OR c.nspname = 'search' AND r.name <> 'searchmill_account'
                  OR c.nspname = 'searchmill' AND (r.name = 'searchmill_reader' AND c.relname <> 'budget_salt'
                                                   OR c.relname IN ('migrations', 'schema_digests', 'ended_sessions')))
         END
), statements AS (
  SELECT 1 AS step, name, '' AS kind, '' AS privilege, format('CREATE ROLE %I NOLOGIN', name) AS statement FROM roles WHERE oid IS NULL
  UNION ALL
  SELECT 2, name, kind, privilege, format('GRANT %s ON %s %s TO %I', privilege, kind, string_agg(shown, ', ' ORDER BY shown COLLATE "C"), name)
    FROM wanted WHERE NOT is_there GROUP BY name, kind, privilege
  UNION ALL
  -- Partitions that are made later get what their table's schema gives by default.
  SELECT 3, r.name, '', '', format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA search_partitions GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %I', n.nspowner::regrole::name, r.name)
    FROM roles r JOIN schemas n ON n.nspname = 'search_partitions'
   WHERE r.name = 'searchmill_writer' AND r.oid IS NOT NULL
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_default_acl d CROSS JOIN LATERAL aclexplode(d.defaclacl) a
                      WHERE d.defaclnamespace = n.oid AND d.defaclrole = n.nspowner AND d.defaclobjtype = 'r' AND a.grantee = r.oid AND a.privilege_type = 'INSERT')
)
SELECT statement FROM statements ORDER BY step, name COLLATE "C", kind COLLATE "C", privilege COLLATE "C";

-- name: database/find-missing-rights
-- Rights that loading needs and the session's role lacks. Result: name, one right per row. Locks: none.
-- Left out: tables that only migrations write, and objects of others in schema search.
-- Not null: name.
SELECT r.name
  FROM (SELECT 'TEMPORARY on database ' || current_database(), has_database_privilege(current_database(), 'TEMPORARY')
        UNION ALL
        SELECT 'CREATE on schema searchmill_staging', has_schema_privilege('searchmill_staging', 'CREATE')
        UNION ALL
        SELECT 'USAGE on schema ' || n.nspname, has_schema_privilege(n.oid, 'USAGE')
          FROM pg_catalog.pg_namespace n WHERE n.nspname IN ('search', 'searchmill', 'searchmill_staging', 'search_reports', 'search_stored', 'search_partitions')
        UNION ALL
        SELECT 'EXECUTE on function ' || p.oid::regprocedure, has_function_privilege(p.oid, 'EXECUTE')
          FROM pg_catalog.pg_proc p WHERE p.pronamespace IN ('searchmill'::regnamespace, 'search_reports'::regnamespace)
        UNION ALL
        SELECT 'SELECT on ' || c.oid::regclass, has_table_privilege(c.oid, 'SELECT')
          FROM pg_catalog.pg_class c
         WHERE c.relnamespace IN ('searchmill'::regnamespace, 'search_reports'::regnamespace, 'search_stored'::regnamespace) AND c.relkind IN ('r', 'v')
            OR c.relnamespace IN ('search'::regnamespace, 'search_partitions'::regnamespace) AND (c.relkind = 'p' OR c.relkind = 'r' AND c.relispartition)
        UNION ALL
        SELECT w.name || ' on ' || c.oid::regclass, has_table_privilege(c.oid, w.name)
          FROM pg_catalog.pg_class c, (VALUES ('INSERT'), ('UPDATE'), ('DELETE')) AS w (name)
         WHERE c.relnamespace = 'searchmill'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('migrations', 'schema_digests', 'ledger', 'budget_salt', 'account_logins')
            OR c.relnamespace = 'search_stored'::regnamespace AND c.relkind = 'r'
            OR c.relnamespace IN ('search'::regnamespace, 'search_partitions'::regnamespace) AND (c.relkind = 'p' OR c.relkind = 'r' AND c.relispartition)
       ) AS r (name, is_there)
 WHERE NOT r.is_there
 ORDER BY r.name;

-- name: database/find-obstacles
-- What would stop the first "searchmill migrate" of a database halfway, or keep it from making all roles. It is one of these: a schema with one of our names
-- is there (a schema searchmill that has only the table of the migration runner does not count); this role may not create schemas; a role is missing, and
-- this role may not create it.
-- Result: kind (schema, right or role) and statement, which clears the way. Locks: none.
-- Not null: kind, statement.
SELECT 'schema' AS kind, format('ALTER SCHEMA %I RENAME TO %I', n.nspname, n.nspname || '_of_others') AS statement
  FROM pg_catalog.pg_namespace n
 WHERE n.nspname IN ('search', 'search_partitions', 'search_reports', 'search_stored', 'searchmill_staging')
    OR n.nspname = 'searchmill' AND EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname <> 'migrations')
UNION ALL
SELECT 'right', format('GRANT CREATE ON DATABASE %I TO %I', current_database(), current_user)
 WHERE NOT has_database_privilege(current_database(), 'CREATE')
UNION ALL
SELECT 'role', format('CREATE ROLE %I NOLOGIN', wanted.name)
  FROM (VALUES ('searchmill_writer'), ('searchmill_reader'), ('searchmill_analyst'), ('searchmill_account')) AS wanted (name)
 WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = wanted.name)
   AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = current_user AND (r.rolsuper OR r.rolcreaterole))
 ORDER BY 1, 2;

-- name: database/find-publications
-- Publications that hold all tables of the database. Result: name. Locks: none.
-- Not null: name.
SELECT pubname AS name FROM pg_catalog.pg_publication WHERE puballtables ORDER BY 1;

-- name: database/find-taker
-- To whom a staging table that this session has just made was given away, and which event triggers may have done that. Params: :name.
-- Result: owner, triggers; no row if the table is still this role's. Locks: none.
-- Not null: owner, triggers.
SELECT pg_get_userbyid(c.relowner)::text AS owner,
       coalesce((SELECT string_agg(format('%I (%s)', t.evtname, t.evtfoid::regprocedure), ', ' ORDER BY t.evtname)
                   FROM pg_catalog.pg_event_trigger t WHERE t.evtenabled IN ('O', 'A') AND t.evtevent = 'ddl_command_end'), '') AS triggers
  FROM pg_catalog.pg_class c
 WHERE c.relnamespace = 'searchmill_staging'::regnamespace AND c.relname = :name AND NOT pg_has_role(c.relowner, 'USAGE');

-- name: database/read-alive-processes
-- Processes that gave a sign of life within the last minute, by columns that every release had. Locks: none.
-- Not null: seenSecondsAgo.
SELECT role, host, pid, version, extract(epoch FROM clock_timestamp() - seen_at)::float8 AS "seenSecondsAgo"
  FROM searchmill.instances
 WHERE seen_at > clock_timestamp() - interval '60 seconds'
 ORDER BY host, role, pid;

-- name: database/read-connection-limits
-- Every limit of connections that holds for this session's login role, and how many connections count against it now, this
-- one included. Owners of the server (superusers) have the server's only, and its reserved ones.
-- Result: name, most, used. Locks: none.
-- Not null: name, most, used.
SELECT l.name, l.most,
       (SELECT count(*) FROM pg_catalog.pg_stat_activity a
         WHERE a.usesysid IS NOT NULL AND coalesce(a.backend_type, 'client backend') = 'client backend'
           AND (l.datname IS NULL OR a.datname = l.datname) AND (l.rolname IS NULL OR a.usename = l.rolname)) AS used
  FROM pg_catalog.pg_roles me JOIN pg_catalog.pg_database d ON d.datname = current_database(),
       LATERAL (VALUES
         ('the server (max_connections)',
          current_setting('max_connections')::integer
            - CASE WHEN me.rolsuper THEN 0 ELSE current_setting('superuser_reserved_connections')::integer
                                                + coalesce(current_setting('reserved_connections', true), '0')::integer END,
          NULL::name, NULL::name),
         ('database ' || d.datname, CASE WHEN me.rolsuper OR d.datconnlimit < 0 THEN NULL ELSE d.datconnlimit END, d.datname, NULL),
         ('role ' || me.rolname, CASE WHEN me.rolsuper OR me.rolconnlimit < 0 THEN NULL ELSE me.rolconnlimit END, NULL, me.rolname)
       ) AS l (name, most, datname, rolname)
 WHERE me.rolname = session_user AND l.most IS NOT NULL;

-- name: database/read-facts
-- Facts about the server of the session and the connection to it. Result: version, encoding, isStandby, isReadOnly, isEncrypted,
-- isLocal (a socket, or the same machine), now. Locks: none.
-- Not null: version, encoding, isStandby, isReadOnly, isEncrypted, isLocal, now.
SELECT current_setting('server_version') AS version, current_setting('server_encoding') AS encoding,
       pg_catalog.pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly",
       coalesce((SELECT s.ssl FROM pg_catalog.pg_stat_ssl s WHERE s.pid = pg_catalog.pg_backend_pid()), false) AS "isEncrypted",
       coalesce(pg_catalog.inet_server_addr() = pg_catalog.inet_client_addr(), true) AS "isLocal",
       clock_timestamp() AS now;

-- name: database/read-role-settings
-- Settings with which every session of this role in this database begins. Result: name, source (role or database).
-- Locks: none.
-- Not null: name, source.
SELECT split_part(setting, '=', 1) AS name,
       CASE WHEN s.setrole = 0 THEN 'database ' || current_database() ELSE 'role ' || session_user END AS source
  FROM pg_catalog.pg_db_role_setting s CROSS JOIN LATERAL unnest(s.setconfig) AS setting
 WHERE s.setdatabase IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
   AND s.setrole IN (0, (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user))
 ORDER BY 1;
