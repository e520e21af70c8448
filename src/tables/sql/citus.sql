-- Citus: which tables and functions are distributed.

-- name: citus/allow-triggers
-- Lets this transaction put our trigger on a distributed table, which Citus otherwise refuses: it only computes columns of the row that is written, so where it
-- runs makes no difference. Statements then go to the nodes one after another. Locks: none.
SELECT set_config('citus.enable_unsafe_triggers', 'on', true), set_config('citus.multi_shard_modify_mode', 'sequential', true);

-- name: citus/count-rows
-- The number of rows of a table, on all nodes. Placeholders: {table}. Result: rows, as a number that JavaScript holds exactly.
-- Not null: rows.
SELECT count(*)::double precision AS rows FROM {table};

-- name: citus/distribute-function
-- Makes a function on all nodes, and keeps it the same there. Params: :signature.
SELECT create_distributed_function(:signature::text::regprocedure);

-- name: citus/distribute-summaries
-- Distributes the stored summaries in the same way as a table of schema search. Params: :colocateWith.
-- Locks: readers and refreshes of summaries wait until their rows are on their nodes.
SELECT search_reports.distribute(:colocateWith::text::regclass);

-- name: citus/distribute-table
-- Distributes a table and its partitions by account, with the rows that it has. Params: :table, :colocateWith (a table, or none).
-- Locks: readers and writers of the table wait until its rows are on their nodes.
SELECT create_distributed_table(:table::text::regclass, 'account_id', colocate_with => :colocateWith);

-- name: citus/find-distributed
-- Which tables of the schemas search and search_stored are distributed. Result: schema; name; column, that its rows are distributed by; colocation, the same
-- for tables whose rows of one value are on one node. Partitions are left out.
-- Not null: schema, name, column, colocation.
SELECT n.nspname AS schema, c.relname AS name, column_to_column_name(p.logicalrelid, p.partkey) AS column, p.colocationid AS colocation
  FROM pg_catalog.pg_dist_partition p
  JOIN pg_catalog.pg_class c ON c.oid = p.logicalrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname IN ('search', 'search_stored') AND NOT c.relispartition AND p.partmethod = 'h'
 ORDER BY schema, name;

-- name: citus/find-extension
-- Whether the server has Citus, and whether this database uses it. Result: version, null where the server has none; isCreated.
-- Not null: isCreated.
SELECT max(default_version) AS version, coalesce(bool_or(installed_version IS NOT NULL), false) AS "isCreated"
  FROM pg_catalog.pg_available_extensions WHERE name = 'citus';

-- name: citus/find-functions
-- Functions that summaries, boards and the trigger of promoted columns call for each row. The nodes lack them if Citus was created later. Result: signature.
-- Not null: signature.
SELECT p.oid::regprocedure::text AS signature
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
 WHERE n.nspname IN ('search_reports', 'searchmill') AND p.prokind = 'f'
   -- The text of a row is stable, and reads no table.
   AND (p.provolatile = 'i' OR p.proname IN ('prompt_key', 'prompt_key_of', 'search_key'))
   AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_dist_object d WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid)
 ORDER BY signature;

-- name: citus/find-lacking-roles
-- Login roles of readers, analysts and writers that a worker lacks, such as those created before Citus. Result: node; roles, quoted and in order.
-- Not null: node, roles.
SELECT w.nodename || ':' || w.nodeport AS node, string_agg(quote_ident(r.rolname), ', ' ORDER BY r.rolname) AS roles
  FROM run_command_on_workers('SELECT jsonb_agg(rolname) FROM pg_catalog.pg_roles') w
  JOIN pg_catalog.pg_roles r ON NOT jsonb_exists(w.result::jsonb, r.rolname)
 WHERE w.success AND r.rolcanlogin
   AND EXISTS (SELECT 1 FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles g ON g.oid = m.roleid
                WHERE m.member = r.oid AND g.rolname IN ('searchmill_reader', 'searchmill_analyst', 'searchmill_writer'))
 GROUP BY node
 ORDER BY node;

-- name: citus/find-shard-table
-- The partition of a table to which a shard belongs, as tableoid names the shard on a node. Params: :table, :shard (its name there).
-- Result: partition, qualified where the search path does not have its schema; no row where it is not a shard.
-- Not null: partition.
SELECT s.logicalrelid::text AS partition
  FROM pg_catalog.pg_dist_shard s
 WHERE s.shardid = substring(:shard FROM '_(\d+)"?$')::bigint
   AND s.logicalrelid IN (SELECT relid FROM pg_catalog.pg_partition_tree(:table::text::regclass));

-- name: citus/find-summaries
-- The tables that store summaries. Result: name, qualified and quoted.
-- Not null: name.
SELECT stored::text AS name FROM search_reports.stored_tables() AS stored;

-- name: citus/find-unsettled
-- Transactions that nodes have prepared and not committed yet: what the coordinator had committed when this statement began may be among them,
-- and stay for a minute where a node failed. Result: gid, null for a node that does not answer.
SELECT unnest(CASE WHEN success THEN string_to_array(nullif(result, ''), ',') ELSE ARRAY[NULL::text] END) AS gid
  FROM run_command_on_workers(
    $$SELECT string_agg(gid, ',') FROM pg_catalog.pg_prepared_xacts WHERE database = current_database() AND gid LIKE 'citus\_%'$$);

-- name: citus/has-nodes
-- Whether this database may have tables on other nodes. Result: found.
-- Not null: found.
SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_extension WHERE extname = 'citus') AS found;

-- name: citus/lock-tables
-- Keeps other sessions from reading and writing the tables until the transaction ends. Placeholders: {tables}, qualified names with commas between them.
-- Locks: the tables and their partitions, also on the nodes.
LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE;

-- name: citus/read-cluster
-- The cluster as this node knows it. Result: isCoordinator, and shardNodes: how many nodes may hold shards.
-- Not null: isCoordinator, shardNodes.
SELECT citus_is_coordinator() AS "isCoordinator", count(*) FILTER (WHERE isactive AND shouldhaveshards) AS "shardNodes"
  FROM pg_catalog.pg_dist_node WHERE noderole = 'primary';

-- name: citus/remove-local-rows
-- Removes the invisible copies of distributed rows that the coordinator keeps. Params: :table.
SELECT truncate_local_data_after_distributing_table(:table::text::regclass);

-- name: citus/remove-local-summaries
-- Removes the invisible copies of distributed summaries that the coordinator keeps.
SELECT truncate_local_data_after_distributing_table(stored) FROM search_reports.stored_tables() AS stored;

-- name: citus/undistribute-summaries
-- Brings the stored summaries back to the coordinator. Locks: readers and refreshes of summaries wait meanwhile.
SELECT search_reports.undistribute();

-- name: citus/undistribute-table
-- Brings a table's rows back to the coordinator. Params: :name, of a table in schema search. Locks: readers and writers of the table wait meanwhile.
SELECT searchmill.undistribute(:name);
