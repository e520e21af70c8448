-- Takes live executions of renamed jobs away from their processes: a worker knows only the old name, under which there will be
-- other rows, or none, to compare with. A submit on its way is left to its process, which alone learns the executionId.
-- Params: :names of the jobs. Locks: the executions, before their slices, as a publish does, which is waited for.
UPDATE searchmill.executions e
   SET lease_token = e.lease_token + (e.state <> 'submitting')::integer, steps = e.steps + 1,
       lease_owner = CASE WHEN e.state = 'submitting' THEN e.lease_owner END,
       lease_until = CASE WHEN e.state = 'submitting' THEN e.lease_until END
  FROM searchmill.slices s
 WHERE s.job = ANY (:names::text[]) AND s.id = e.slice_id AND e.ended_at IS NULL
