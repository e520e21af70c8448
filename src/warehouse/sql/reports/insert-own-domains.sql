-- Adds own domains of an account. Params: :accountId, :source, :domains. Repeating changes nothing.
INSERT INTO searchmill.own_domains (account_id, source, domain)
SELECT :accountId, :source, domain FROM unnest(:domains::text[]) AS domain ON CONFLICT DO NOTHING
