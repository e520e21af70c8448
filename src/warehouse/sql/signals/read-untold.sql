-- Signals of the newest week that a target was not told of, or was told that they are taken back. Params: :target, :accountId.
-- Result: as of signals/read. Locks: none.
-- Not null: accountId, week, rule, title, subject, text, place, foundAt, id.
SELECT s.account_id::text AS "accountId", s.week::text, s.rule, s.title, s.subject, s.text, s.about, s.place::integer, s.found_at AS "foundAt", s.signal_id::text AS id
  FROM search_reports.signals s
 WHERE s.account_id = :accountId::bigint
   AND s.week = (SELECT max(week) FROM searchmill.signal_looks l WHERE l.account_id = :accountId::bigint)
   AND NOT EXISTS (SELECT FROM searchmill.told_signals t WHERE t.target = :target AND t.signal_id = s.signal_id AND t.taken_back_told_at IS NULL)
 ORDER BY s.rule_place, s.place
