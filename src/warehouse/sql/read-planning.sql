-- What planning would meet, without writing anything: the job that this one would take its slices from, as adopt-slices does, and
-- whether another dataset or account was loaded under its name, as upsert-jobs asks.
-- Params: $1 job, $2 dataset, $3 account, $4 filters digest, $5 names that are configured.
-- Result: one row: former (a name or null), isOther, now (the time of the database). Locks: none.
SELECT (SELECT j.name FROM searchmill.jobs j
         WHERE j.dataset = $2 AND j.account_id = $3 AND j.filters_digest = $4 AND j.name <> ALL ($5::text[])
           AND EXISTS (SELECT FROM searchmill.slices s WHERE s.job = j.name)
           AND NOT EXISTS (SELECT FROM searchmill.slices s WHERE s.job = $1)
         ORDER BY j.removed_at DESC NULLS FIRST LIMIT 1) AS former,
       EXISTS (SELECT FROM searchmill.jobs j
                WHERE j.name = $1 AND (j.dataset, j.account_id) <> ($2, $3)
                  AND EXISTS (SELECT FROM searchmill.slices s WHERE s.job = $1)) AS "isOther",
       clock_timestamp() AS now
