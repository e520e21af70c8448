-- Marked weeks, those that readers leave out first, then the newest. Params: :accountId and :dataset, NULL for all.
-- Result: subject, account as text, week, isLive.
-- Not null: accountId, isLive.
SELECT subject, account_id::text AS "accountId", week, bool_and(is_live) AS "isLive"
  FROM searchmill.stale_weeks
 WHERE (:accountId::bigint IS NULL OR account_id = :accountId)
   AND (:dataset::text IS NULL OR subject = ANY (search_reports.subjects_of(:dataset)))
 GROUP BY subject, account_id, week
 ORDER BY 4, week DESC, subject = 'citations' DESC, account_id
