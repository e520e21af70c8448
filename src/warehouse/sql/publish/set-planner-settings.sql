-- How a comparison of staging and table is planned, and what is done about the differences, until publish/reset-planner-settings.
-- The table's statistics may know nothing of a week that was published lately. The planner would take its rows for a few, fetch
-- each through the index, or look through all differences for each of them. So both sides are read in the order they lie in, and
-- hashed.
-- Params: :isShared, whether processes of the server may share the work; they can from Postgres 16. They share 48 MB, as containers
-- often give a server 64 MB of shared memory; one process alone has 64 MB, twice over for a hash. Never less than is configured.
WITH configured AS (
  SELECT max(reset_val) FILTER (WHERE name = 'max_parallel_workers_per_gather') AS helpers,
         max(reset_val::integer) FILTER (WHERE name = 'work_mem') AS work_mem
    FROM pg_settings WHERE name IN ('max_parallel_workers_per_gather', 'work_mem')
), chosen AS (
  SELECT *, :isShared::boolean AND helpers <> '0' AND current_setting('server_version_num')::integer >= 160000 AS is_shared FROM configured
)
SELECT set_config('enable_hashjoin', 'on', true), set_config('enable_indexscan', 'off', true), set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true),
       set_config('min_parallel_table_scan_size', '0', true),
       set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
       set_config('max_parallel_workers_per_gather', CASE WHEN is_shared THEN helpers ELSE '0' END, true),
       set_config('work_mem', greatest(CASE WHEN is_shared THEN 8192 ELSE 65536 END, work_mem)::text || 'kB', true)
  FROM chosen
