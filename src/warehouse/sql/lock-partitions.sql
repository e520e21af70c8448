-- Lets one process at a time add partitions to a table. Params: $1 table. Locks: one advisory lock, until the transaction ends.
SELECT pg_advisory_xact_lock(hashtext('searchmill partitions'), hashtext($1))
