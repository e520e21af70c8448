-- Slices whose rows in the table differ from what was published, in number or content. It reads the rows.
-- Placeholders: what is summed up of a row, and how many rows have a key that is not that of their values; both 0 where only rows are counted.
-- Params: :dataset, :accountId, :from and :to (first and last time_period_start), :isDeep (whether content is compared).
-- Result: sliceId as text; job and its week, and isRemoved (the job is not configured), null and the period of a slice that the ledger does not know; period; expected and
--         found rows; isAltered: as many rows as published, with other content; isMisnamed: keys are
--         not those of the values. Locks: none.
-- Not null: sliceId, isRemoved, period, week, expected, found, isAltered, isMisnamed.
SELECT slice_id::text AS "sliceId", s.job, j.removed_at IS NOT NULL AS "isRemoved", period_start::text AS period,
       coalesce(s.window_start + 7 * floor((period_start - s.window_start) / 7.0)::integer, period_start)::text AS week,
       coalesce(p.rows, 0) AS expected, coalesce(t.rows, 0) AS found, coalesce(p.rows, 0) = coalesce(t.rows, 0) AS "isAltered",
       coalesce(t.misnamed, 0) > 0 AS "isMisnamed"
  FROM (SELECT p.* FROM searchmill.published_periods p JOIN searchmill.slices s ON s.id = p.slice_id
         WHERE s.dataset = :dataset AND p.account_id = :accountId AND p.period_start BETWEEN :from AND :to) p
  FULL JOIN (SELECT t._slice AS slice_id, t.time_period_start AS period_start, count(*) AS rows, sum({digest}) AS digest, {misnamed} AS misnamed
               FROM {table} t
              WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :from AND :to
              GROUP BY t._slice, t.time_period_start) t USING (slice_id, period_start)
  LEFT JOIN searchmill.slices s ON s.id = slice_id
  LEFT JOIN searchmill.jobs j ON j.name = s.job
 WHERE coalesce(p.rows, 0) <> coalesce(t.rows, 0)
    OR (:isDeep::boolean AND (coalesce(p.digest, 0) <> coalesce(t.digest, 0) OR t.misnamed > 0))
 ORDER BY period_start, slice_id
