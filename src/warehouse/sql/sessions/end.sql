-- Ends another session of ours, which gives up its transaction and its locks. Params: :pid, the number of its process; after a fail-over
-- the number may belong to a session of others, which is left alone.
-- Result: nothing of interest. Locks: none. Repeating it does nothing.
SELECT pg_terminate_backend(pid) FROM pg_catalog.pg_stat_activity
 WHERE pid = :pid AND usename = current_user AND (application_name = current_setting('application_name') OR application_name LIKE 'searchmill%')
