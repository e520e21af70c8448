-- Whether the last publication of a job had duplicates. Params: $1 job. No row: it has none.
SELECT p.rows_duplicated > 0 AS found
  FROM searchmill.publications p JOIN searchmill.slices s ON s.id = p.slice_id
 WHERE s.job = $1
 ORDER BY p.id DESC
 LIMIT 1
