-- Makes sure that an account has a row of setting_changes to hold. Params: :accountId. Repeating changes nothing.
INSERT INTO searchmill.setting_changes (account_id) VALUES (:accountId) ON CONFLICT DO NOTHING
