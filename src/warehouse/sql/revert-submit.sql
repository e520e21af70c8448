-- The POST never left, or the service took no notice of it (429, 401): back to planned, nothing spent.
-- Params: $1 execution, $2 token. Repeating changes nothing.
UPDATE searchmill.executions
   SET state = 'planned', state_since = clock_timestamp(), submit_started_at = NULL
 WHERE id = $1 AND lease_token = $2 AND state = 'submitting'
