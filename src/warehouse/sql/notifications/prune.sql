-- Gives up messages that nobody has taken within 7 days, and forgets those of which nothing has come for 30. Repeating changes nothing.
WITH forgotten AS (
  DELETE FROM searchmill.notifications WHERE created_at < clock_timestamp() - interval '30 days'
)
UPDATE searchmill.notifications SET given_up_at = clock_timestamp()
 WHERE delivered_at IS NULL AND given_up_at IS NULL AND created_at < clock_timestamp() - interval '7 days'
   AND created_at >= clock_timestamp() - interval '30 days'
