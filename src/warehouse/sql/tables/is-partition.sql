-- Whether a table is a partition of another now: one that was detached keeps its name. Run it after reading from the parent in the
-- same transaction, so that it cannot be detached meanwhile.
-- Params: :name, :parent, both in schema search.
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_inherits i
                 JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid JOIN pg_catalog.pg_class p ON p.oid = i.inhparent
                 JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.oid = p.relnamespace
                WHERE n.nspname = 'search' AND c.relname = :name AND p.relname = :parent AND NOT i.inhdetachpending) AS found
