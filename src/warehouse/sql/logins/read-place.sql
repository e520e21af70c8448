-- Where sessions of the pages are: the ledger and its database, since a copy of a warehouse has the ledger of the original.
-- Result: place. Locks: none.
-- Not null: place.
SELECT concat_ws('/', l.id, d.oid, d.datname) AS place
  FROM searchmill.ledger l, pg_catalog.pg_database d
 WHERE d.datname = pg_catalog.current_database()
