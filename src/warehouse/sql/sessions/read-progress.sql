-- Whether the server works for a session or waits for it: it waits between statements, and within one for rows of a COPY
-- or for an answer to be read. The same of those of our sessions whose locks it waits for.
-- Params: :pid, the number of the session's process, as pg_backend_pid() gave it.
-- Result: number of each session's process, whether it waits for its client, and a text that changes with any progress.
-- Locks: none.
-- Not null: pid, isWaiting, progress.
SELECT a.pid, coalesce(a.state LIKE 'idle%' OR a.wait_event_type = 'Client', false) AS "isWaiting",
       concat_ws(' ', a.state, a.state_change, c.bytes_processed) AS progress
  FROM pg_catalog.pg_stat_activity a LEFT JOIN pg_catalog.pg_stat_progress_copy c ON c.pid = a.pid
 WHERE a.pid = :pid
    OR (a.pid = ANY (pg_catalog.pg_blocking_pids(:pid)) AND a.usename = current_user AND a.application_name LIKE 'searchmill%')
