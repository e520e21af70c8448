-- Accounts of which a target is told what is found late. Params: :target. Result: accountId as text. Locks: none.
-- Not null: accountId.
SELECT account_id::text AS "accountId" FROM searchmill.told_accounts WHERE target = :target AND begun_at IS NOT NULL
