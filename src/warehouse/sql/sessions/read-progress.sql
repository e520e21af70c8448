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
                     OFFSET 0) AS a
