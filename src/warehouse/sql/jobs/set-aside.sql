-- Gives jobs names that no job can have, so that names can go round among them. Their slices, their pauses, and what people
-- did to them go with them: a decision belongs to what was loaded, as it is called now.
-- Params: :names. Locks: the jobs' rows and those of their slices.
WITH paused AS (
  UPDATE searchmill.pauses SET name = 'renamed from ' || name WHERE kind = 'job' AND name = ANY (:names::text[])
), decided AS (
  UPDATE searchmill.actions SET job = 'renamed from ' || job WHERE job = ANY (:names::text[])
)
UPDATE searchmill.jobs SET name = 'renamed from ' || name WHERE name = ANY (:names::text[])
