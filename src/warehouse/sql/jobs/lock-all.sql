-- Lets processes settle one after another which jobs there are: what one marks and is about to adopt no other abandons, and two
-- whose files have the same jobs in another order don't wait for each other's rows.
-- Locks: one advisory lock, until the transaction ends.
SELECT pg_advisory_xact_lock(hashtext('searchmill plan'), 0)
