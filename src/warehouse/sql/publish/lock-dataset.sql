-- For publishes whose rows may lie anywhere: keeps all others of the dataset out. Everybody else shares it, and locks days.
-- Params: :dataset, :isAlone. Locks: one advisory lock, until the transaction ends.
SELECT CASE WHEN :isAlone THEN pg_advisory_xact_lock(hashtext('searchmill publish ' || :dataset), 0)
            ELSE pg_advisory_xact_lock_shared(hashtext('searchmill publish ' || :dataset), 0) END
