-- Whether every node has committed what the coordinator had committed when this transaction began: what is prepared there may be so, and may
-- stay for a minute where a node failed. Result: found; false also when a node does not answer.
SELECT coalesce(bool_and(success AND result = '0'), true) AS found
  FROM run_command_on_workers($$SELECT count(*) FROM pg_catalog.pg_prepared_xacts WHERE database = current_database() AND gid LIKE 'citus\_%'$$)
