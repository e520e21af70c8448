-- Publications that hold all tables of the database. Result: name. Locks: none.
SELECT pubname AS name FROM pg_catalog.pg_publication WHERE puballtables ORDER BY 1
