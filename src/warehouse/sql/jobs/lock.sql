-- Keeps everybody else from planning a job, or adopting its slices, until the transaction ends.
-- Params: :job. Locks: the job's row, the same that jobs/upsert locks.
SELECT name FROM searchmill.jobs WHERE name = :job FOR UPDATE
