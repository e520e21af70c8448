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
SELECT statement FROM statements ORDER BY step, name COLLATE "C", kind COLLATE "C", privilege COLLATE "C"
