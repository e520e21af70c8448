-- Marks all other weeks of answers of an account as not live, since other names are ours. Params: :accountId, :week.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT 'answers', :accountId, s.week, false
  FROM search_stored.stored_weeks s
 WHERE s.account_id = :accountId AND s.subject = 'answers' AND s.week <> :week
   AND NOT EXISTS (SELECT FROM searchmill.stale_weeks m WHERE m.account_id = :accountId AND m.subject = 'answers' AND m.week = s.week AND NOT m.is_live)
