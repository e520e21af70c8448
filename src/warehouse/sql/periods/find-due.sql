-- Periods whose rows are to be counted again. For each dataset and account, the newest two weeks and those that differed, after a short time; the others
-- after a long time, and only so many at once that they are spread over it.
-- Params: :newestAgeMs, :ageMs; :share of all rows that are counted in a round, but at least :minRows.
-- Result: dataset, accountId as text, from and to (both the period). Locks: none.
-- Not null: accountId, from, to.
WITH known AS (
  SELECT s.dataset, p.account_id, p.period_start, sum(p.rows) AS rows, min(p.checked_at) AS checked_at,
         bool_or(p.differs_since IS NOT NULL)
           OR p.period_start > max(p.period_start) OVER (PARTITION BY s.dataset, p.account_id) - 14 AS is_urgent
    FROM searchmill.published_periods p
    JOIN searchmill.slices s ON s.id = p.slice_id
    JOIN searchmill.jobs j ON j.name = s.job AND j.removed_at IS NULL
   GROUP BY s.dataset, p.account_id, p.period_start
), due AS (
  SELECT *, sum(rows) OVER (PARTITION BY is_urgent ORDER BY checked_at, dataset, account_id, period_start) - rows AS rows_before
    FROM known
   WHERE checked_at < clock_timestamp() - CASE WHEN is_urgent THEN :newestAgeMs ELSE :ageMs END::bigint * interval '1 millisecond'
)
SELECT dataset, account_id::text AS "accountId", period_start::text AS from, period_start::text AS to
  FROM due
 WHERE is_urgent OR rows_before < greatest(:minRows::bigint, (SELECT sum(rows) FROM known) * :share::double precision)
 ORDER BY is_urgent DESC, checked_at, dataset, account_id, period_start
