-- Compares a summary's stored week with what is computed now. Params: :accountId, :week.
-- The computed ones name a table of the coordinator: Citus runs on a node what names none, and there is no such function.
-- Result: surplus (stored, not computed) and missing (computed, not stored) in rows, and one of them as JSON.
-- Not null: surplus, missing.
WITH stored AS (
  SELECT * FROM {stored} WHERE account_id = :accountId AND week = :week
), computed AS (
  SELECT * FROM {compute}(:accountId, :week) WHERE NOT EXISTS (SELECT 1 FROM searchmill.stale_weeks WHERE false)
), surplus AS (
  TABLE stored EXCEPT ALL TABLE computed
), missing AS (
  TABLE computed EXCEPT ALL TABLE stored
)
SELECT (SELECT count(*) FROM surplus) AS surplus, (SELECT count(*) FROM missing) AS missing,
       coalesce((SELECT to_jsonb(s) FROM surplus s LIMIT 1), (SELECT to_jsonb(m) FROM missing m LIMIT 1))::text AS example
