-- Lets one process at a time find what is due for a comparison. Result: isMine, false while another does.
-- Locks: one advisory lock, until the transaction ends.
-- Not null: isMine.
SELECT pg_try_advisory_xact_lock(hashtext('searchmill verification'), 0) AS "isMine"
