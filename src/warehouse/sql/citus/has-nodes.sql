-- Whether this database may have tables on other nodes. Result: found.
-- Not null: found.
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_extension WHERE extname = 'citus') AS found
