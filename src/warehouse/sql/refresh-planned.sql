-- Gives executions that are not submitted yet the question as it is configured now. Consent to fewer rows belongs to a question.
-- Params: $1 slice, $2 connection, $3 filters digest, $4 submit body, $5 whether fewer rows are approved. Repeating changes
-- nothing.
UPDATE searchmill.executions
   SET connection = $2, filters_digest = $3, request = $4, may_shrink = $5 OR (may_shrink AND filters_digest = $3)
 WHERE slice_id = $1 AND state = 'planned' AND ended_at IS NULL AND ((connection, filters_digest) IS DISTINCT FROM ($2, $3) OR ($5 AND NOT may_shrink))
