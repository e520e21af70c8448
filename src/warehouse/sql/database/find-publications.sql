-- Publications that hold all tables of the database. Result: name. Locks: none.
-- Not null: name.
SELECT pubname AS name FROM pg_catalog.pg_publication WHERE puballtables ORDER BY 1
