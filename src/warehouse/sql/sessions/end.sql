-- Ends another session of ours, which gives up its transaction and its locks. Params: :pid, the number of its process.
-- Result: nothing of interest. Locks: none. Repeating it does nothing.
SELECT pg_terminate_backend(:pid)
