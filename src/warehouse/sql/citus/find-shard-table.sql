-- The partition of a table to which a shard belongs, as tableoid names the shard on a node. Params: :table, :shard (its name there).
-- Result: partition, qualified where the search path does not have its schema; no row where it is not a shard.
-- Not null: partition.
SELECT s.logicalrelid::text AS partition
  FROM pg_catalog.pg_dist_shard s
 WHERE s.shardid = substring(:shard FROM '_(\d+)"?$')::bigint
   AND s.logicalrelid IN (SELECT relid FROM pg_catalog.pg_partition_tree(:table::text::regclass))
