-- Ends another session of ours, which gives up its transaction and its locks. Params: :pid, the number of its process; after a fail-over
-- the number may belong to a session of others, which is left alone.
-- A session is of the role that logged in, whatever role it has set since (ALTER ROLE ... SET role), and only that role may end it: so this statement has
-- the rights of that role. Within the LATERAL subquery they are set already.
-- Result: nothing of interest. Locks: none. Repeating it does nothing.
SELECT pg_terminate_backend(a.pid)
  FROM (SELECT set_config('role', 'none', true) AS role OFFSET 0) AS me
 CROSS JOIN LATERAL (SELECT pid FROM pg_catalog.pg_stat_activity
                      WHERE me.role IS NOT NULL AND pid = :pid AND usename = session_user
                        AND (application_name = current_setting('application_name') OR application_name LIKE 'searchmill%') OFFSET 0) AS a
