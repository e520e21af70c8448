-- Deletes the own domains of an account that are not among :domains. Params: :accountId, :source, :domains.
DELETE FROM searchmill.own_domains WHERE account_id = :accountId AND source = :source AND domain <> ALL (:domains)
