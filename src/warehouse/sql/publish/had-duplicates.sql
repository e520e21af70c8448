-- Whether the last publication of a job had duplicates. Params: :job. No row: it has none.
-- Not null: found.
SELECT p.rows_duplicated > 0 AS found
  FROM searchmill.slices s JOIN searchmill.publications p ON p.execution_id = s.published_execution_id
 WHERE s.job = :job
 ORDER BY p.id DESC
 LIMIT 1
