-- Whether a week is marked. Params: :subject, :accountId, :week.
-- Not null: found.
SELECT EXISTS (SELECT FROM searchmill.stale_weeks WHERE subject = :subject AND account_id = :accountId AND week = :week) AS found
