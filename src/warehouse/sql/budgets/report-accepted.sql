-- A call was answered: ends being unauthorized, and the growth of pauses once the last pause is over.
-- Params: :budget. Repeating changes nothing.
UPDATE searchmill.budgets
   SET unauthorized_since = NULL, probe_at = NULL, probes = 0,
       rate_limited_in_row = CASE WHEN paused_until > clock_timestamp() THEN rate_limited_in_row ELSE 0 END
 WHERE id = :budget AND (unauthorized_since IS NOT NULL OR rate_limited_in_row > 0)
