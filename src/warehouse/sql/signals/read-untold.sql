-- Signals that a target was not told of, or was told that they are taken back: those of the newest week, and those of earlier weeks that were found
-- since it is told of the account (a week that was loaded late, or a revision). Params: :target, :accountId.
-- Result: as of signals/read, and isLate. Locks: none.
-- Not null: accountId, week, rule, title, subject, text, place, foundAt, id, isLate.
SELECT s.account_id::text AS "accountId", s.week::text, s.rule, s.title, s.subject, s.text, s.about, s.place::integer, s.found_at AS "foundAt",
       s.signal_id::text AS id, s.week < n.week AS "isLate"
  FROM (SELECT max(week) AS week FROM searchmill.signal_looks WHERE account_id = :accountId::bigint) AS n
  JOIN search_reports.signals s ON s.account_id = :accountId::bigint
  LEFT JOIN searchmill.told_accounts a ON a.target = :target AND a.account_id = s.account_id
 WHERE (s.week = n.week OR s.found_at > a.begun_at)
   AND NOT EXISTS (SELECT FROM searchmill.told_signals t WHERE t.target = :target AND t.signal_id = s.signal_id AND t.taken_back_told_at IS NULL)
 ORDER BY s.week DESC, s.rule_place, s.place
