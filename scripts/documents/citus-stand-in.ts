// Stand-ins for the parts of Citus 13 that statements for clusters use: tables and functions with the same columns, which do nothing. Created in a
// transaction that is rolled back, so that a database without Citus can describe the statements of sql/citus.

/** Run it as superuser in a transaction: like Citus, it creates objects in pg_catalog. */
export const CITUS_STAND_IN = `
SET LOCAL allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid integer);
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint);
CREATE TABLE pg_catalog.pg_dist_node (nodename text, nodeport integer, isactive boolean, noderole text, shouldhaveshards boolean);
CREATE TABLE pg_catalog.pg_dist_object (classid oid, objid oid);
CREATE FUNCTION pg_catalog.column_to_column_name(regclass, text) RETURNS text LANGUAGE sql RETURN NULL::text;
CREATE FUNCTION pg_catalog.citus_is_coordinator() RETURNS boolean LANGUAGE sql RETURN false;
CREATE FUNCTION pg_catalog.run_command_on_workers(command text) RETURNS TABLE (nodename text, nodeport integer, success boolean, result text)
  LANGUAGE sql BEGIN ATOMIC SELECT NULL::text, NULL::integer, NULL::boolean, NULL::text; END;
CREATE FUNCTION pg_catalog.create_distributed_function(regprocedure) RETURNS void LANGUAGE sql RETURN NULL::void;
CREATE FUNCTION pg_catalog.create_distributed_table(regclass, text, colocate_with text) RETURNS void LANGUAGE sql RETURN NULL::void;
CREATE FUNCTION pg_catalog.truncate_local_data_after_distributing_table(regclass) RETURNS void LANGUAGE sql RETURN NULL::void;
`;
