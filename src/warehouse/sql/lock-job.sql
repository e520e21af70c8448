-- Keeps everybody else from planning a job, or adopting its slices, until the transaction ends. Params: $1 job.
-- Locks: the job's row, the same that upsert-jobs locks.
SELECT name FROM searchmill.jobs WHERE name = $1 FOR UPDATE
