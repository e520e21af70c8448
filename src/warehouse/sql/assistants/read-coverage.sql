-- The newest weeks of each job, with their states. Params: :job, or null for all; :weeks; :most.
-- Result: job, dataset, account as text, week, state, isExpected, publishedAt, sliceRows (of the whole window), detail. Locks: none.
-- Not null: account, isExpected, job, week, state.
SELECT c.job, j.dataset, j.account_id::text AS account, c.week::text, c.state, c.is_expected AS "isExpected", c.published_at AS "publishedAt",
       c.slice_rows AS "sliceRows", c.detail
  FROM searchmill.coverage c JOIN searchmill.jobs j ON j.name = c.job
 WHERE (:job::text IS NULL OR c.job = :job::text) AND (c.is_expected OR c.published_at IS NOT NULL OR c.state IN ('held', 'running'))
   AND c.week > (SELECT max(week) FROM searchmill.coverage WHERE is_expected OR published_at IS NOT NULL) - 7 * :weeks::integer
 ORDER BY c.week DESC, c.job LIMIT :most
