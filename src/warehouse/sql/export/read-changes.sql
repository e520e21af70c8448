-- Weeks that have changed after a cursor, oldest change first; of one account or of all. Weeks that were removed have no publication.
-- Params: :accountId, or null for all; :after. Locks: none.
-- Not null: dataset, account, week, cursor, ledger.
SELECT dataset, account_id::text AS account, week::text AS week, publication, cursor, ledger
  FROM search_reports.changed_weeks
 WHERE cursor > :after AND (:accountId::bigint IS NULL OR account_id = :accountId)
 ORDER BY cursor
