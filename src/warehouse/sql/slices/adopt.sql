-- A job that was renamed: gives it the slices of a removed job that asked the same question, so that nothing is loaded again. A
-- pause of the removed job becomes one of the new job. Only a job without slices of its own adopts some.
-- A live execution among them is taken out of everybody's hands: its worker knows the old name only, under which there are no rows
-- any more to compare with. A submit on its way is left to its process, which alone learns the executionId.
-- Params: :job (the new name), :dataset, :accountId, :filtersDigest, :configured names.
-- Result: name of the former job, and isAdopted; false while another running process still has that job.
-- Locks: the executions first and then the slices, as a publish does, which is waited for. Repeating changes nothing.
WITH former AS (
  SELECT name, removed_at IS NOT NULL AS is_free FROM searchmill.jobs
   WHERE dataset = :dataset AND account_id = :accountId AND filters_digest = :filtersDigest AND name <> ALL (:configured::text[])
     AND EXISTS (SELECT FROM searchmill.slices WHERE job = jobs.name)
     AND NOT EXISTS (SELECT FROM searchmill.slices WHERE job = :job)
   ORDER BY removed_at DESC NULLS FIRST LIMIT 1
), taken AS (
  UPDATE searchmill.executions e
     SET lease_token = e.lease_token + (e.state <> 'submitting')::integer, looks = e.looks + 1,
         lease_owner = CASE WHEN e.state = 'submitting' THEN e.lease_owner END,
         lease_until = CASE WHEN e.state = 'submitting' THEN e.lease_until END
    FROM former f JOIN searchmill.slices s ON s.job = f.name
   WHERE f.is_free AND s.id = e.slice_id AND e.ended_at IS NULL
  RETURNING e.id
), adopted AS (
  UPDATE searchmill.slices s SET job = :job FROM former f
   WHERE f.is_free AND s.job = f.name AND (SELECT count(*) FROM taken) >= 0
), paused AS (
  UPDATE searchmill.pauses p SET name = :job FROM former f
   WHERE f.is_free AND p.kind = 'job' AND p.name = f.name
     AND NOT EXISTS (SELECT FROM searchmill.pauses WHERE kind = 'job' AND name = :job)
)
SELECT name, is_free AS "isAdopted" FROM former
