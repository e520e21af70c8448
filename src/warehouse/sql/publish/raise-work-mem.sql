-- Gives the joins of one publish memory enough not to spill, for this transaction only; never less than is configured.
SELECT set_config('work_mem', greatest(65536, (SELECT setting::integer FROM pg_settings WHERE name = 'work_mem'))::text || 'kB', true)
