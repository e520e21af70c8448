-- What would stop the first "searchmill migrate" of a database halfway, or would leave out what it promises: schemas of ours that are there already (but
-- for schema searchmill with nothing in it but the table of the migration runner), no right to create schemas, roles that are missing and may not be created.
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
 ORDER BY 1, 2
