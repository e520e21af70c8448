-- Whether a table is there, read as rows: to_regclass may answer from a cache that does not know yet.
-- Params: :schema, :name. Locks: none.
-- Not null: found.
SELECT EXISTS (SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = :schema AND c.relname = :name) AS found
