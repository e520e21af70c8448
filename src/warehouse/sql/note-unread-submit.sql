-- The service took the submit, and nothing is read of it: it said at once that the query failed, or the load was cancelled
-- meanwhile. It was spent, and counts.
-- Params: $1 execution, $2 token, $3 executionId or null, $4 requestId or null,
--         $5 validity in ms counted from the intent. No row: the lease was lost.
-- One that is not cancelled is ended next; repeating changes nothing else.
UPDATE searchmill.executions
   SET submitted_at = clock_timestamp(), remote_execution_id = $3, remote_request_id = $4,
       expires_at = submit_started_at + make_interval(secs => $5::float8 / 1000)
 WHERE id = $1 AND lease_token = $2 AND state IN ('submitting', 'cancelled')
