-- Marks all weeks of an account in some subjects as not live: as many as there are, since own domains or aliases have changed.
-- Params: :accountId, :subjects.
INSERT INTO search_reports.stale_weeks (subject, account_id, week, is_live)
SELECT subject, account_id, week, false
  FROM (SELECT subject, account_id, week FROM search_reports.stored_weeks WHERE account_id = :accountId AND subject = ANY (:subjects)
        UNION
        SELECT subject, account_id, week FROM search_reports.stale_weeks WHERE account_id = :accountId AND subject = ANY (:subjects)) AS known
