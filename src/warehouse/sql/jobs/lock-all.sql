-- Lets processes update the list of jobs one after another: no process abandons what another has marked and is about to adopt, and two
-- whose files have the same jobs in another order don't wait for each other's rows.
-- Locks: one advisory lock, until the transaction ends.
SELECT pg_advisory_xact_lock(hashtext('searchmill plan'), 0)
