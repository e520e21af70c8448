-- Whether a job is written down with the question it asks now. Params: :job, :dataset, :accountId, :filtersDigest. Locks: none.
-- Not null: found.
SELECT EXISTS (SELECT FROM searchmill.jobs
                WHERE name = :job AND (dataset, account_id, filters_digest) = (:dataset, :accountId, :filtersDigest)) AS found
