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
 ORDER BY r.name
