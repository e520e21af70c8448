-- Records that the figures of an account have changed. Params: :accountId.
INSERT INTO searchmill.figure_changes (account_id) VALUES (:accountId)
