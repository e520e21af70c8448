-- Rows of other configured jobs that a load would take, although these took them back before, and a slice of this job was displaced itself:
-- the jobs take the same rows from each other.
-- Params: :job, :windowStart, :windowEnd. Result: name and filters of each such job, rows. Locks: none.
-- Not null: rows.
SELECT j.name, j.filters, count(*) AS rows
  FROM searchmill_changes c
  JOIN searchmill.slices theirs ON theirs.id = c.old_slice
  JOIN searchmill.jobs j ON j.name = theirs.job
 WHERE theirs.displacements > 0 AND theirs.published_filters_digest = j.filters_digest AND j.removed_at IS NULL
   AND EXISTS (SELECT FROM searchmill.slices own
                WHERE own.job = :job AND own.displaced_at IS NOT NULL
                  AND own.window_start <= :windowEnd AND own.window_end >= :windowStart)
 GROUP BY j.name
 ORDER BY j.name
