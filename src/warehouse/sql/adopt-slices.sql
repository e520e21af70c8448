-- A job that was renamed: gives it the slices of a removed job that asked the same question, so that nothing is loaded again.
-- Params: $1 new job, $2 dataset, $3 account, $4 filters digest, $5 names that are configured.
-- Result: name of the former job, and isAdopted; false while another running scheduler still has that job.
-- Only for a job that has no slices of its own yet. Repeating changes nothing.
WITH former AS (
  SELECT name, removed_at IS NOT NULL AS is_free FROM searchmill.jobs
   WHERE dataset = $2 AND account_id = $3 AND filters_digest = $4 AND name <> ALL ($5::text[])
     AND EXISTS (SELECT FROM searchmill.slices WHERE job = jobs.name)
     AND NOT EXISTS (SELECT FROM searchmill.slices WHERE job = $1)
   ORDER BY removed_at DESC NULLS FIRST LIMIT 1
), adopted AS (
  UPDATE searchmill.slices s SET job = $1 FROM former f WHERE f.is_free AND s.job = f.name
)
SELECT name, is_free AS "isAdopted" FROM former
