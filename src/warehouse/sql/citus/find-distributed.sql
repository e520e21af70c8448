-- Which tables of the schemas search and search_stored are distributed. Result: schema; name; column, that its rows are distributed by; colocation, the same
-- for tables whose rows of one value are on one node. Partitions are left out.
-- Not null: schema, name, column, colocation.
SELECT n.nspname AS schema, c.relname AS name, column_to_column_name(p.logicalrelid, p.partkey) AS column, p.colocationid AS colocation
  FROM pg_catalog.pg_dist_partition p
  JOIN pg_catalog.pg_class c ON c.oid = p.logicalrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname IN ('search', 'search_stored') AND NOT c.relispartition AND p.partmethod = 'h'
 ORDER BY schema, name
