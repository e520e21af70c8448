-- When a target last got a brief of each account; now where it is to get its first. Params: :target, :accountIds, :at.
-- Result: accountId as text, toldAt. Repeating changes nothing.
-- Not null: accountId, toldAt.
WITH begun AS (
  INSERT INTO searchmill.told_briefs (target, account_id, told_at) SELECT :target, id, :at FROM unnest(:accountIds::bigint[]) AS id
  ON CONFLICT (target, account_id) DO NOTHING
  RETURNING account_id, told_at
)
SELECT account_id::text AS "accountId", told_at AS "toldAt" FROM begun
UNION ALL
SELECT account_id::text, told_at FROM searchmill.told_briefs WHERE target = :target AND account_id = ANY (:accountIds::bigint[])
