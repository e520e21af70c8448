-- Whether triggers or rules that are on, of people, may make something else of the rows that a statement writes: on a table of the warehouse or on
-- one of its partitions. Params: :dataset. Locks: none.
-- Not null: found.
WITH RECURSIVE relations AS (
  SELECT pg_catalog.format('search.%I', :dataset::text)::regclass::oid AS oid
  UNION ALL
  SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN relations r ON i.inhparent = r.oid
)
SELECT EXISTS (SELECT FROM relations r JOIN pg_catalog.pg_trigger t ON t.tgrelid = r.oid WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A'))
    OR EXISTS (SELECT FROM relations r JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.oid WHERE w.ev_enabled IN ('O', 'A')) AS found
