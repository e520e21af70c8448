-- When a target last got a brief of each account; now where it is to get its first. Params: :target, :accountIds, :at.
-- Result: accountId as text, toldAt. Repeating changes nothing.
-- Not null: accountId, toldAt.
WITH begun AS (
  INSERT INTO searchmill.told_accounts AS a (target, account_id, brief_at) SELECT :target, id, :at FROM unnest(:accountIds::bigint[]) AS id
  ON CONFLICT (target, account_id) DO UPDATE SET brief_at = excluded.brief_at WHERE a.brief_at IS NULL
  RETURNING account_id, brief_at
)
SELECT account_id::text AS "accountId", brief_at AS "toldAt" FROM begun
UNION ALL
SELECT account_id::text, brief_at FROM searchmill.told_accounts
 WHERE target = :target AND account_id = ANY (:accountIds::bigint[]) AND brief_at IS NOT NULL
