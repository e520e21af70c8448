-- Lets one process at a time refresh what others have left. Result: found, false when another does.
-- Locks: one advisory lock, until the transaction ends.
-- Not null: found.
SELECT pg_try_advisory_xact_lock(hashtext('searchmill reports sweep'), 0) AS found
