-- Signals that hold, the newest week first. Params: :accountId (NULL: all), :week (NULL: the newest that rules
-- have looked at, of each account).
-- Result: accountId as text, week, rule, title, subject, text, about, place, foundAt. Locks: none.
-- Not null: accountId, week, rule, title, subject, text, place, foundAt, id.
SELECT s.account_id::text AS "accountId", s.week::text, s.rule, s.title, s.subject, s.text, s.about, s.place::integer, s.found_at AS "foundAt", s.signal_id::text AS id
  FROM search_reports.signals s
 WHERE (:accountId::bigint IS NULL OR s.account_id = :accountId::bigint)
   AND s.week = coalesce(:week::date, (SELECT max(week) FROM searchmill.signal_looks l WHERE l.account_id = s.account_id))
 ORDER BY s.account_id, s.week DESC, s.rule_place, s.place
