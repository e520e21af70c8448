-- Whether a table is there, read as rows: to_regclass may answer from a cache that does not know yet.
-- Params: $1 table, in schema search.
SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = 'search' AND c.relname = $1) AS found
