-- Accounts with signals that were not sent to a target, of their newest week or found late in an earlier one, or with sent signals that
-- are taken back since.
-- Params: :target. Result: accountId as text, since (the oldest of them). Locks: none.
-- Not null: accountId, since.
WITH newest AS (
  SELECT account_id, max(week) AS week FROM searchmill.signal_looks GROUP BY account_id
), news AS (
  SELECT s.account_id, s.found_at AS at
    FROM newest w
    LEFT JOIN searchmill.told_accounts a ON a.target = :target AND a.account_id = w.account_id
    JOIN search_reports.signals s ON s.account_id = w.account_id AND (s.week = w.week OR s.found_at > a.begun_at)
   WHERE NOT EXISTS (SELECT FROM searchmill.told_signals t WHERE t.target = :target AND t.signal_id = s.signal_id AND t.taken_back_told_at IS NULL)
  UNION ALL
  SELECT s.account_id, s.taken_back_at
    FROM searchmill.told_signals t JOIN searchmill.signals s ON s.id = t.signal_id
   WHERE t.target = :target AND t.taken_back_told_at IS NULL AND s.taken_back_at IS NOT NULL
)
SELECT account_id::text AS "accountId", min(at) AS since FROM news GROUP BY account_id
