-- Removes the aliases of an account. Params: :accountId. Locks: as setting_changes says.
DELETE FROM searchmill.aliases WHERE account_id = :accountId
