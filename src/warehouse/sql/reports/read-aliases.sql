-- The aliases of an account. Params: :accountId. Result: kind, spelling, meaning, in order.
SELECT kind, spelling, meaning FROM searchmill.aliases WHERE account_id = :accountId
 ORDER BY kind COLLATE "C", spelling COLLATE "C"
