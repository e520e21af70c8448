-- The processes that a session waits for, and for which relation. Without their statements, which may contain secrets.
-- Params: :pid, the number of the session's process.
-- Result: number of each process, 0 for a prepared transaction; what is known of it, of another role's only the application;
-- the relation, where it is one.
-- Locks: none.
-- Not null: pid.
SELECT b.pid, w.relation,
       nullif(concat_ws(', ', nullif(a.application_name, ''), nullif(a.backend_type, 'client backend'), 'role ' || a.usename,
                        a.state || ' for ' || date_trunc('second', greatest(clock_timestamp() - a.state_change, '0'))), '') AS who
  FROM unnest(pg_catalog.pg_blocking_pids(:pid)) AS b (pid)
  LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = b.pid
  LEFT JOIN (SELECT pid, min(relation::regclass::text) AS relation FROM pg_catalog.pg_locks WHERE NOT granted GROUP BY pid) w ON w.pid = :pid
