-- Undoes publish/set-planner-settings, for the rest of the transaction.
SELECT set_config(name, reset_val, true) FROM pg_settings
 WHERE name IN ('enable_hashjoin', 'enable_indexscan', 'enable_nestloop', 'enable_mergejoin', 'min_parallel_table_scan_size', 'parallel_setup_cost',
                'parallel_tuple_cost', 'max_parallel_workers_per_gather', 'work_mem')
