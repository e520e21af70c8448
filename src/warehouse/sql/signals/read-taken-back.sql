-- Signals that a target was told of, and not yet that they are taken back. Params: :target, :accountId. Result: as of signals/read. Locks: none.
-- Not null: accountId, week, place, id.
SELECT s.account_id::text AS "accountId", s.week::text, s.rule, l.title, s.subject, s.text, s.about, 0 AS place, s.found_at AS "foundAt", s.id::text
  FROM searchmill.told_signals t
  JOIN searchmill.signals s ON s.id = t.signal_id
  JOIN searchmill.signal_looks l ON l.account_id = s.account_id AND l.week = s.week AND l.rule = s.rule
 WHERE t.target = :target AND t.taken_back_told_at IS NULL AND s.account_id = :accountId::bigint AND s.taken_back_at IS NOT NULL
 ORDER BY s.week DESC, l.place, s.weight DESC
