-- Sessions of Postgres: who waits for whom, and ending one.

-- name: sessions/end
-- Ends another session of ours, which gives up its transaction and its locks. Params: :pid, the number of its process; after a fail-over
-- the number may belong to a session of others, which is left alone.
-- A session is of the role that logged in, whatever role it has set since (ALTER ROLE ... SET role), and only that role may end it: so this statement has
-- the rights of that role. Within the LATERAL subquery they are set already.
-- Result: nothing of interest. Locks: none. Repeating it does nothing.
SELECT pg_terminate_backend(a.pid)
  FROM (SELECT set_config('role', 'none', true) AS role OFFSET 0) AS me
 CROSS JOIN LATERAL (SELECT pid FROM pg_catalog.pg_stat_activity
                      WHERE me.role IS NOT NULL AND pid = :pid AND usename = session_user
                        AND (application_name = current_setting('application_name') OR application_name LIKE 'searchmill%') OFFSET 0) AS a;

-- name: sessions/export-snapshot
-- The snapshot of this transaction, for another one that is to see the same. Params: none. Result: its name; no row on Citus, whose nodes have
-- snapshots of their own. Locks: none.
-- Not null: name.
SELECT pg_catalog.pg_export_snapshot() AS name WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus');

-- name: sessions/find-blockers
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
  LEFT JOIN (SELECT pid, min(relation::regclass::text) AS relation FROM pg_catalog.pg_locks WHERE NOT granted GROUP BY pid) w ON w.pid = :pid;

-- name: sessions/raise-work-mem
-- Gives the joins of one publish memory enough not to spill, for this transaction only; never less than is configured.
SELECT set_config('work_mem', greatest(65536, pg_size_bytes(current_setting('work_mem')) / 1024)::text || 'kB', true);

-- name: sessions/read-progress
-- Whether the server works for a session or waits for it: it waits between statements, and within one for rows of a COPY
-- or for an answer to be read. The same of those of our sessions whose locks it waits for.
-- Params: :pid, the number of the session's process, as pg_backend_pid() gave it.
-- Only the role that logged in may see what its sessions do, so this statement has the rights of that role, whatever role is set (see sessions/end).
-- Result: number of each session's process, whether it waits for its client, and a text that changes with any progress.
-- Locks: none.
-- Not null: pid, isWaiting, progress.
SELECT a.pid, coalesce(a.state LIKE 'idle%' OR a.wait_event_type = 'Client', false) AS "isWaiting",
       concat_ws(' ', a.state, a.state_change, a.bytes_processed) AS progress
  FROM (SELECT set_config('role', 'none', true) AS role OFFSET 0) AS me
 CROSS JOIN LATERAL (SELECT s.*, c.bytes_processed
                       FROM pg_catalog.pg_stat_activity s LEFT JOIN pg_catalog.pg_stat_progress_copy c ON c.pid = s.pid
                      WHERE me.role IS NOT NULL
                        AND (s.pid = :pid
                             OR (s.pid = ANY (pg_catalog.pg_blocking_pids(:pid)) AND s.usename = session_user AND s.application_name LIKE 'searchmill%'))
                     OFFSET 0) AS a;
