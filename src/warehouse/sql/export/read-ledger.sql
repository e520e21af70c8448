-- The mark of the ledger, by which a reader knows that cursors go on from those it has. Params: none. Locks: none.
-- Result: one row, or none if no week has ever changed.
-- Not null: ledger.
SELECT ledger FROM search_reports.changed_weeks LIMIT 1
