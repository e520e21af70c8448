-- Keeps everybody else from planning jobs, or giving them other names, until the transaction ends.
-- Params: :names. Locks: the jobs' rows in the order of their names, the same that jobs/upsert locks.
SELECT name FROM searchmill.jobs WHERE name = ANY (:names::text[]) ORDER BY name FOR UPDATE
