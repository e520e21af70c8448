-- What boards show of an account has changed. Params: :accountId.
INSERT INTO searchmill.figure_changes (account_id) VALUES (:accountId)
