-- Removes the aliases of an account. Params: :accountId. Locks: as setting_changes says.
DELETE FROM search_reports.aliases WHERE account_id = :accountId
