-- The POST was not sent, or the service ignored it (429, 401): back to planned, nothing is spent. One that was cancelled
-- meanwhile stays so, and nothing was spent either.
-- States: submitting -> planned; cancelled stays.
-- Params: :executionId, :leaseToken. Repeating changes nothing.
UPDATE searchmill.executions
   SET state = CASE state WHEN 'submitting' THEN 'planned' ELSE state END,
       state_since = CASE state WHEN 'submitting' THEN clock_timestamp() ELSE state_since END, submit_started_at = NULL
 WHERE id = :executionId AND lease_token = :leaseToken AND state IN ('submitting', 'cancelled')
