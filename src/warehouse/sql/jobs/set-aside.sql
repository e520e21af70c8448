-- Gives jobs names that no job can have, so that names can go round among them. Their slices and pauses go with them.
-- Params: :names. Locks: the jobs' rows and those of their slices.
WITH paused AS (
  UPDATE searchmill.pauses SET name = 'renamed from ' || name WHERE kind = 'job' AND name = ANY (:names::text[])
)
UPDATE searchmill.jobs SET name = 'renamed from ' || name WHERE name = ANY (:names::text[])
