-- Gives executions that are not submitted yet the question as it is configured now.
-- Params: $1 slice, $2 connection, $3 filters digest, $4 submit body. Repeating changes nothing.
UPDATE searchmill.executions SET connection = $2, filters_digest = $3, request = $4
 WHERE slice_id = $1 AND state = 'planned' AND ended_at IS NULL AND (connection, filters_digest) IS DISTINCT FROM ($2, $3)
