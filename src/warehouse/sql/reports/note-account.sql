-- Makes sure that an account has a row of own_domain_changes to hold. Params: :accountId. Repeating changes nothing.
INSERT INTO search_reports.own_domain_changes (account_id) VALUES (:accountId) ON CONFLICT DO NOTHING
