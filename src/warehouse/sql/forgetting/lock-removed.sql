-- Keeps a job from being configured again until the transaction ends. Params: :job. No row: it is configured. Locks: its row.
SELECT name FROM searchmill.jobs WHERE name = :job AND removed_at IS NOT NULL FOR UPDATE
