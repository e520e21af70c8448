-- Marks all weeks that tables or summaries hold as not live. Params: :accountId and :dataset, NULL for all. Result: as many weeks.
-- A table of the coordinator is named beside the function, which Citus would run on a node otherwise.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT subject, account_id, week, false
  FROM (SELECT subject, account_id, week FROM search_reports.weeks_in_tables() WHERE NOT EXISTS (SELECT 1 FROM searchmill.stale_weeks WHERE false)
        UNION
        SELECT subject, account_id, week FROM search_stored.stored_weeks) AS known
 WHERE (:accountId::bigint IS NULL OR account_id = :accountId)
   AND (:dataset::text IS NULL OR subject = ANY (search_reports.subjects_of(:dataset)))
