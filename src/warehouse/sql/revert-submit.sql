-- The POST never left, or the service took no notice of it (429, 401): back to planned, nothing spent. One that was cancelled
-- meanwhile stays so, and nothing was spent either.
-- Params: $1 execution, $2 token. Repeating changes nothing.
UPDATE searchmill.executions
   SET state = CASE state WHEN 'submitting' THEN 'planned' ELSE state END,
       state_since = CASE state WHEN 'submitting' THEN clock_timestamp() ELSE state_since END, submit_started_at = NULL
 WHERE id = $1 AND lease_token = $2 AND state IN ('submitting', 'cancelled')
