-- Some rows that a job has published and a held answer lacks, as JSON with all columns.
-- Params: :job, :accountId, :windowStart, :windowEnd, :maxRows. Locks: none.
SELECT to_jsonb(t) AS row
  FROM {table} t JOIN searchmill.slices o ON o.id = t._slice
 WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd AND o.job = :job
   AND NOT EXISTS (SELECT 1 FROM {staging} s
                    WHERE s.account_id = t.account_id AND s.time_period_start = t.time_period_start
                      AND s._key = t._key AND s._occurrence = t._occurrence)
 LIMIT :maxRows
