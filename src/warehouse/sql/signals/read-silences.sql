-- Rules that are silent about a week, and why.
-- Params: :accountId (NULL: all), :week (NULL: the newest that rules have looked at, of each account).
-- Result: accountId as text, week, rule, title, silence. Locks: none.
-- Not null: accountId, week, rule, title, silence.
SELECT r.account_id::text AS "accountId", r.week::text, r.rule, r.title, r.silence
  FROM search_reports.signal_rules r
 WHERE (:accountId::bigint IS NULL OR r.account_id = :accountId::bigint) AND r.silence IS NOT NULL
   AND r.week = coalesce(:week::date, (SELECT max(week) FROM searchmill.signal_looks l WHERE l.account_id = r.account_id))
 ORDER BY r.account_id, r.week DESC, r.place
