-- Notes that own domains or aliases of an account change in this transaction. Params: :accountId.
-- Locks: the account's row of setting_changes, until the transaction ends; waits for refreshes that hold it.
INSERT INTO searchmill.setting_changes (account_id) VALUES (:accountId)
ON CONFLICT (account_id) DO UPDATE SET changed_at = clock_timestamp()
