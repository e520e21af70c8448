-- A job that was renamed: gives it the slices of a removed job that asked the same question, so that nothing is loaded again.
-- Params: $1 new job, $2 dataset, $3 account, $4 filters digest. Result: names of the jobs whose slices were taken over.
-- Only for a job that has no slices of its own yet. Repeating changes nothing.
WITH old AS (
  SELECT name FROM searchmill.jobs
   WHERE removed_at IS NOT NULL AND dataset = $2 AND account_id = $3 AND filters_digest = $4 AND name <> $1
     AND NOT EXISTS (SELECT FROM searchmill.slices WHERE job = $1)
   ORDER BY removed_at DESC LIMIT 1
), adopted AS (
  UPDATE searchmill.slices s SET job = $1 FROM old WHERE s.job = old.name RETURNING s.id
)
SELECT name FROM old WHERE EXISTS (SELECT FROM adopted)
