-- Removes when targets were told of accounts that no job asks for any more. Params: :ageMs, :maxRows. Result: toldAccounts, their number.
-- Locks: the rows it removes. Repeating finds what is left.
-- Not null: toldAccounts.
WITH old AS (
  SELECT t.ctid FROM searchmill.told_accounts t
   WHERE NOT EXISTS (SELECT FROM searchmill.jobs j WHERE j.account_id = t.account_id
                        AND (j.removed_at IS NULL OR j.removed_at >= clock_timestamp() - :ageMs * interval '1 millisecond'))
   LIMIT :maxRows
     FOR UPDATE SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.told_accounts WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS "toldAccounts" FROM removed
