-- Removes looks of rules that no longer exist, and of weeks more than a year before the newest. Params: :rules, names.
-- Repeating changes nothing.
WITH old AS (
  SELECT account_id, max(week) - 371 AS week FROM searchmill.signal_looks GROUP BY account_id
), forgotten AS (
  DELETE FROM searchmill.signals s USING old o
   WHERE s.account_id = o.account_id AND (s.week < o.week OR s.rule <> ALL (:rules::text[]))
)
DELETE FROM searchmill.signal_looks l USING old o
 WHERE l.account_id = o.account_id AND (l.week < o.week OR l.rule <> ALL (:rules::text[]))
