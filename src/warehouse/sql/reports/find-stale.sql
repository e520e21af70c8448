-- Weeks that wait for a refresh: those that readers compute first, then the newest; citations before others, as own domains may follow
-- from them. One that failed waits for as many minutes as it has failed, for an hour at most.
-- Params: :maxWeeks. Result: subject, account as text, week.
-- Not null: accountId.
SELECT subject, account_id::text AS "accountId", week
  FROM searchmill.stale_weeks
 GROUP BY subject, account_id, week
HAVING coalesce(max(failed_at + least(failures, 60) * interval '1 minute') < clock_timestamp(), true)
 ORDER BY bool_and(is_live) DESC, week DESC, subject = 'citations' DESC, account_id
 LIMIT :maxWeeks
