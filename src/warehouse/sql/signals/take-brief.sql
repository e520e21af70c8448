-- A target gets the brief of an account, unless it has got one since. Params: :target, :accountId, :since, :at. Result: a row where it gets it.
-- Locks: the row, until the transaction ends.
UPDATE searchmill.told_accounts SET brief_at = :at WHERE target = :target AND account_id = :accountId::bigint AND brief_at = :since
RETURNING brief_at AS "toldAt"
