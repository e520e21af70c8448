-- Gives up messages that were not accepted within 7 days, and removes those older than 30 days. Repeating changes nothing.
WITH forgotten AS (
  DELETE FROM searchmill.notifications WHERE created_at < clock_timestamp() - interval '30 days'
)
UPDATE searchmill.notifications SET given_up_at = clock_timestamp()
 WHERE delivered_at IS NULL AND given_up_at IS NULL AND created_at < clock_timestamp() - interval '7 days'
   AND created_at >= clock_timestamp() - interval '30 days'
