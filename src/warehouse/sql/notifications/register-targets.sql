-- Registers targets. Targets of events get those that happen from then on.
-- Params: :names, and in the same order :haveEvents. Repeating changes nothing.
INSERT INTO searchmill.notification_targets AS t (name, events_cursor)
SELECT name, CASE WHEN has_events THEN (SELECT coalesce(max(cursor), 0) FROM searchmill.week_changes) END
  FROM unnest(:names::text[], :haveEvents::boolean[]) AS given (name, has_events)
ON CONFLICT (name) DO UPDATE SET events_cursor = excluded.events_cursor
 WHERE (t.events_cursor IS NULL) <> (excluded.events_cursor IS NULL)
