-- Marks all weeks of an account in some subjects as not live: as many as there are, since own domains or aliases have changed.
-- Params: :accountId, :subjects.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT subject, account_id, week, false
  FROM (SELECT subject, account_id, week FROM search_stored.stored_weeks WHERE account_id = :accountId AND subject = ANY (:subjects)
        UNION
        SELECT subject, account_id, week FROM searchmill.stale_weeks WHERE account_id = :accountId AND subject = ANY (:subjects)) AS known
