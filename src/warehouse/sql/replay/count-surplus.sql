-- The rows of other jobs that replay/delete-surplus will delete. Apart from replay/count-shared, since Citus takes no count within another.
-- Params: :job of the replay. Result: rows.
-- Not null: rows.
SELECT count(*) AS rows
  FROM (SELECT account_id, time_period_start, _key, max(_occurrence) AS last FROM {staging} GROUP BY 1, 2, 3) k
  JOIN {table} o ON o.account_id = k.account_id AND o.time_period_start = k.time_period_start AND o._key = k._key AND o._occurrence > k.last
 WHERE o._slice NOT IN (SELECT id FROM searchmill.slices WHERE job = :job)
