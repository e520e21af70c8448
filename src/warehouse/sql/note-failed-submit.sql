-- The service took the submit and said at once that the query failed: it was spent, and counts.
-- Params: $1 execution, $2 token, $3 executionId or null, $4 requestId or null,
--         $5 validity in ms counted from the intent. No row: the lease was lost.
-- The execution is ended next; repeating changes nothing else.
UPDATE searchmill.executions
   SET submitted_at = clock_timestamp(), remote_execution_id = $3, remote_request_id = $4,
       expires_at = submit_started_at + make_interval(secs => $5::float8 / 1000)
 WHERE id = $1 AND lease_token = $2 AND state = 'submitting'
