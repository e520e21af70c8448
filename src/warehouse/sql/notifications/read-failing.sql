-- Targets that failed several times in a row. A target without an attempt in the last 3 hours is no longer configured.
-- Params: :failures. Result: target, since, failures, error, waiting (messages). Locks: none.
-- Not null: error, waiting, since.
SELECT name AS target, failing_since AS since, failures, error,
       (SELECT count(*) FROM searchmill.notifications n
         WHERE n.target = t.name AND n.delivered_at IS NULL AND n.given_up_at IS NULL) AS waiting
  FROM searchmill.notification_targets t
 WHERE failures >= :failures AND attempted_at > clock_timestamp() - interval '3 hours'
 ORDER BY name
