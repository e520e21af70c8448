-- Lets publishes into one dataset and account go one after another, so that overlapping slices cannot deadlock.
-- Params: $1 dataset, $2 account. Locks: one advisory lock, until the transaction ends.
SELECT pg_advisory_xact_lock(hashtext('searchmill publish ' || $1), hashtext($2::text))
