-- The configured competitors of an account. Params: :accountId. Result: domain, in order.
SELECT domain FROM searchmill.competitors WHERE account_id = :accountId ORDER BY domain COLLATE "C"
