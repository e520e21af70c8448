-- Keeps the own domains and aliases of an account as they are until the transaction ends; fails when they have changed since it began.
-- Params: :accountId. Locks: the account's row of setting_changes, shared.
SELECT account_id FROM searchmill.setting_changes WHERE account_id = :accountId FOR SHARE
