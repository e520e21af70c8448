-- Marks the ranking weeks of an account as not live: as many as there are, since its own domains have changed. Params: :accountId.
INSERT INTO search_reports.stale_weeks (subject, account_id, week, is_live)
SELECT 'rankings', :accountId, week, false
  FROM (SELECT week FROM search_reports.ranking_totals_stored WHERE account_id = :accountId
        UNION
        SELECT week FROM search_reports.stale_weeks WHERE account_id = :accountId AND subject = 'rankings') AS known
