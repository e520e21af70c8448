-- Weeks marked by publications of an execution's dataset, account and window. Params: :dataset, :accountId, :windowStart, :windowEnd.
-- Result: subject, account as text, week. Marks beyond the window are left to the next sweep.
SELECT DISTINCT subject, account_id::text AS "accountId", week
  FROM search_reports.stale_weeks
 WHERE subject = ANY (search_reports.subjects_of(:dataset)) AND account_id = :accountId
   AND week BETWEEN search_reports.week_of(:windowStart) AND :windowEnd
 ORDER BY week DESC, subject
