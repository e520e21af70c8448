-- What was published in a span of time, by job. Params: :from, :to. Result: job, loads, inserted, updated, unchanged, deleted. Locks: none.
-- Not null: loads, inserted, updated, unchanged, deleted.
SELECT s.job, count(*) AS loads, sum(rows_inserted)::bigint AS inserted, sum(rows_updated)::bigint AS updated,
       sum(rows_unchanged)::bigint AS unchanged, sum(rows_deleted)::bigint AS deleted
  FROM searchmill.publications p JOIN searchmill.slices s ON s.id = p.slice_id
 WHERE p.published_at > :from AND p.published_at <= :to
 GROUP BY s.job
 ORDER BY s.job
