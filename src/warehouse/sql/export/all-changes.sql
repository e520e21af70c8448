-- The view of changed weeks as it is, of one account or of all. Params: :accountId, or null for all. Locks: none.
SELECT * FROM search_reports.changed_weeks
 WHERE :accountId::bigint IS NULL OR account_id = :accountId
 ORDER BY cursor
