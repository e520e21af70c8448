-- When and by which publication one week has last changed. Params: :dataset, :accountId, :week. Locks: none.
-- Not null: cursor, ledger.
SELECT publication, cursor, ledger
  FROM search_reports.changed_weeks
 WHERE dataset = :dataset AND account_id = :accountId AND week = :week
