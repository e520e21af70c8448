-- Whether the last publication of a job had duplicates. Params: $1 job. No row: it has none.
SELECT p.rows_duplicated > 0 AS found
  FROM searchmill.slices s JOIN searchmill.publications p ON p.execution_id = s.published_execution_id
 WHERE s.job = $1
 ORDER BY p.id DESC
 LIMIT 1
