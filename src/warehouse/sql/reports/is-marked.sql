-- Whether a week is marked. Params: :subject, :accountId, :week.
SELECT EXISTS (SELECT FROM search_reports.stale_weeks WHERE subject = :subject AND account_id = :accountId AND week = :week) AS found
