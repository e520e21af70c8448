-- Whether a staging table is there, read as rows: to_regclass may answer from a cache that does not know yet.
-- Params: $1 execution. Locks: none.
SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = 'searchmill_staging' AND c.relname = 'execution_' || $1::bigint) AS found
