-- All weeks that tables or summaries hold. Params: :accountId and :dataset, NULL for all. Result: subject, account as text, week.
-- A table of the coordinator is named beside the function, which Citus would run on a node otherwise.
-- Not null: subject, accountId, week.
SELECT subject, account_id::text AS "accountId", week
  FROM (SELECT subject, account_id, week FROM search_reports.weeks_in_tables() WHERE NOT EXISTS (SELECT 1 FROM searchmill.stale_weeks WHERE false)
        UNION
        SELECT subject, account_id, week FROM search_stored.stored_weeks) AS known
 WHERE (:accountId::bigint IS NULL OR account_id = :accountId)
   AND (:dataset::text IS NULL OR subject = ANY (search_reports.subjects_of(:dataset)))
 ORDER BY account_id, week DESC, subject
