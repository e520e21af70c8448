-- For publishes whose rows may lie anywhere: keeps all others of the dataset out. Everybody else shares it, and locks days.
-- Params: $1 dataset, $2 whether it is wanted alone. Locks: one advisory lock, until the transaction ends.
SELECT CASE WHEN $2 THEN pg_advisory_xact_lock(hashtext('searchmill publish ' || $1), 0)
            ELSE pg_advisory_xact_lock_shared(hashtext('searchmill publish ' || $1), 0) END
