-- What a person has to change after a failure that named a relation, and a constraint or a column of it: the table above a partition where that has the
-- constraint, the NOT NULL or the row level security, too, and the foreign key of which Postgres made another for each partition.
-- Params: :schema, or null for search or search_partitions; :relation; :constraint and :column, or null. A primary key is nothing to change.
-- Result: schema, relation, constraint; no row where there is none. Locks: none.
-- Not null: schema, relation.
WITH RECURSIVE up AS (
  SELECT c.oid, 0 AS level
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relname = :relation AND n.nspname = ANY (CASE WHEN :schema::text IS NULL THEN ARRAY['search', 'search_partitions'] ELSE ARRAY[:schema] END)
  UNION ALL
  SELECT i.inhparent, up.level + 1 FROM up JOIN pg_catalog.pg_inherits i ON i.inhrelid = up.oid
), keys AS (
  SELECT k.oid, k.conparentid, k.conname, k.conrelid, up.level
    FROM up JOIN pg_catalog.pg_constraint k ON k.conrelid = up.oid AND k.conname = :constraint::text AND k.contype <> 'p'
  UNION ALL
  SELECT k.oid, k.conparentid, k.conname, k.conrelid, keys.level + 1
    FROM keys JOIN pg_catalog.pg_constraint k ON k.oid = keys.conparentid
), found AS (
  SELECT keys.conrelid AS oid, keys.conname, keys.level FROM keys
  UNION ALL
  SELECT up.oid, NULL, up.level
    FROM up JOIN pg_catalog.pg_class c ON c.oid = up.oid
   WHERE :constraint::text IS NULL
     AND CASE WHEN :column::text IS NULL THEN c.relrowsecurity
              ELSE EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attrelid = up.oid AND a.attname = :column AND a.attnotnull) END
)
SELECT n.nspname::text AS schema, c.relname::text AS relation, found.conname::text AS constraint
  FROM found JOIN pg_catalog.pg_class c ON c.oid = found.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 ORDER BY found.level DESC LIMIT 1
