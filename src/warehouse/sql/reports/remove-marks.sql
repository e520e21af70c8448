-- Removes the marks of a week that this transaction sees, before it stores the week anew. Others stay, as of what is published meanwhile.
-- Params: :subject, :accountId, :week. No row: the week has no mark, or another process refreshes it.
-- Locks: an advisory lock of the week, until the transaction ends; nobody waits for it. Of two that see the same marks, the second fails.
WITH lock AS MATERIALIZED (
  SELECT pg_try_advisory_xact_lock(hashtext('searchmill report ' || :subject::text || ' ' || :accountId::bigint), :week::date - date '2000-01-01') AS is_taken
)
DELETE FROM searchmill.stale_weeks s
 USING lock
 WHERE lock.is_taken AND s.subject = :subject AND s.account_id = :accountId AND s.week = :week
