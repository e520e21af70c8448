-- Keeps other sessions from planning or renaming jobs until the transaction ends.
-- Params: :names. Locks: the jobs' rows in the order of their names, the same that jobs/upsert locks.
SELECT name FROM searchmill.jobs WHERE name = ANY (:names::text[]) ORDER BY name FOR UPDATE
