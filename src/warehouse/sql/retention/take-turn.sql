-- Lets one process at a time remove what is old. Result: isMine, false while another does.
-- Locks: one advisory lock, until the transaction ends.
-- Not null: isMine.
SELECT pg_try_advisory_xact_lock(hashtext('searchmill retention'), 0) AS "isMine"
