-- Transactions that nodes have prepared and not committed yet: what the coordinator had committed when this statement began may be among them,
-- and stay for a minute where a node failed. Result: gid, null for a node that does not answer.
SELECT unnest(CASE WHEN success THEN string_to_array(nullif(result, ''), ',') ELSE ARRAY[NULL::text] END) AS gid
  FROM run_command_on_workers(
    $$SELECT string_agg(gid, ',') FROM pg_catalog.pg_prepared_xacts WHERE database = current_database() AND gid LIKE 'citus\_%'$$)
