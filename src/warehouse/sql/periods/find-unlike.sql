-- Periods whose number of rows in the table, over all slices, differs from what was published. Counting needs the primary key only, not the rows.
-- Params: :dataset, :accountId, :from and :to (first and last time_period_start). Result: period. Locks: none.
-- Not null: period.
SELECT period_start::text AS period
  FROM (SELECT p.period_start, sum(p.rows) AS rows
          FROM searchmill.published_periods p JOIN searchmill.slices s ON s.id = p.slice_id
         WHERE s.dataset = :dataset AND p.account_id = :accountId AND p.period_start BETWEEN :from AND :to
         GROUP BY p.period_start) expected
  FULL JOIN (SELECT t.time_period_start AS period_start, count(*) AS rows
               FROM {table} t
              WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :from AND :to
              GROUP BY t.time_period_start) found USING (period_start)
 WHERE coalesce(expected.rows, 0) <> coalesce(found.rows, 0)
 ORDER BY period_start
