-- Lets one process at a time look. Result: found, false when another does. Locks: one advisory lock, until the transaction ends. Not null: found.
SELECT pg_try_advisory_xact_lock(hashtext('searchmill signals'), 0) AS found
