-- Adds configured competitors of an account. Params: :accountId, :domains. Repeating changes nothing.
INSERT INTO searchmill.competitors (account_id, domain)
SELECT :accountId, unnest(:domains::text[])
ON CONFLICT DO NOTHING
