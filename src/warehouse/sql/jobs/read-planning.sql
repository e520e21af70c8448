-- What planning would meet, without writing anything.
-- Params: :job, :dataset, :accountId, :filtersDigest, :configured names.
-- Result: one row. former: the job that this one would take its slices from, as slices/adopt does, or null. isOther: another dataset or
--         account was loaded under its name, as jobs/upsert asks. now: the time of the database.
-- Locks: none.
SELECT (SELECT j.name FROM searchmill.jobs j
         WHERE j.dataset = :dataset AND j.account_id = :accountId AND j.filters_digest = :filtersDigest AND j.name <> ALL (:configured::text[])
           AND EXISTS (SELECT FROM searchmill.slices s WHERE s.job = j.name)
           AND NOT EXISTS (SELECT FROM searchmill.slices s WHERE s.job = :job)
         ORDER BY j.removed_at DESC NULLS FIRST LIMIT 1) AS former,
       EXISTS (SELECT FROM searchmill.jobs j
                WHERE j.name = :job AND (j.dataset, j.account_id) <> (:dataset, :accountId)
                  AND EXISTS (SELECT FROM searchmill.slices s WHERE s.job = :job)) AS "isOther",
       clock_timestamp() AS now
